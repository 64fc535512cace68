#!/usr/bin/env bash
# Runs a program on an emulated processor with AVX-512, some hundred times slower than here, then prints what it printed.
#     scripts/run_on_avx512.sh build/dev/tests/kernel_tests --gtest_filter='*InstructionSetsAgree'
# Debian 12: apt-get install bochs bochs-term busybox-static cpio genisoimage isolinux syslinux-common. A kernel is fetched.
set -euo pipefail
program=$(realpath "$1")
shift
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
kernel=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image[^ ]*\)$/\1/p')
apt-get download -qq "$kernel" 2>/dev/null
dpkg -x "$kernel"_*.deb .
mkdir -p root/{proc,dev,tmp} disc/isolinux
ldd "$program" | grep -o '/[^ ]*' | xargs cp -L --parents -t root
cp "$program" root/program
cp /bin/busybox root/
printf '#!/busybox sh\n/busybox mount -t proc none /proc\n/busybox mount -t devtmpfs none /dev\n' >root/init
printf '%s\necho "exit status $?"\n/busybox sleep 2\n/busybox poweroff -f\n' "/program $(printf '%q ' "$@")" >>root/init
chmod +x root/init
(cd root && find . | cpio --quiet -o -H newc) >disc/root
cp boot/vmlinuz-* disc/linux
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 disc/isolinux/
# Bochs tells another size for states saved by XSAVEC and XSAVES (321 and 323) than Linux, which then uses none of AVX.
printf 'default run\nlabel run\nkernel /linux\nappend initrd=/root console=ttyS0 quiet clearcpuid=321,323 %s\n' \
  'nokaslr mitigations=off tsc=reliable' >disc/isolinux/isolinux.cfg
genisoimage -quiet -o disc.iso -b isolinux/isolinux.bin -c catalogue -no-emul-boot -boot-load-size 4 -boot-info-table disc
printf '%s\n' 'cpu: model=corei7_skylake_x, ips=200000000' 'clock: sync=none' 'memory: guest=512, host=512' \
  'display_library: rfb, options="timeout=0"' 'ata0-master: type=cdrom, path=disc.iso, status=inserted' 'boot: cdrom' \
  'com1: enabled=1, mode=file, dev=console' >bochsrc
echo continue >commands # to Bochs's debugger
bochs -f bochsrc -rc commands </dev/null >bochs.out 2>&1 || true
cat console
grep -q '^exit status 0' console
