#!/usr/bin/env bash
# Runs a program on an emulated processor with AVX-512 and prints what it prints; a few hundred times slower than here.
#
#   scripts/run_on_avx512.sh build/dev/tests/kernel_tests --gtest_filter='*InstructionSetsAgree*'
#
# Debian 12: apt-get install bochs bochs-term busybox-static cpio genisoimage isolinux syslinux-common. A kernel is fetched.
set -euo pipefail
program=$(realpath "$1")
shift
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
mkdir -p root/bin disc/isolinux
kernel=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image[^ ]*\)$/\1/p')
apt-get download -qq "$kernel" 2>/dev/null
dpkg -x "$kernel"_*.deb .
ldd "$program" | grep -o '/[^ ]*' | xargs cp -L --parents -t root
cp "$program" root/program
cp /bin/busybox root/bin/
cat >root/init <<END
#!/bin/busybox sh
/bin/busybox mkdir -p /proc /dev /tmp
/bin/busybox mount -t proc none /proc
/bin/busybox mount -t devtmpfs none /dev
/program $(printf '%q ' "$@")
echo "exit status \$?"
/bin/busybox sleep 2
/bin/busybox poweroff -f
END
chmod +x root/init
(cd root && find . | cpio --quiet -o -H newc) >disc/root
cp boot/vmlinuz-* disc/linux
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 disc/isolinux/
# Linux does not take this processor's AVX-512 while it sees XSAVEC and XSAVES, bits 321 and 323.
printf 'default /linux\nappend initrd=/root console=ttyS0 clearcpuid=321,323 quiet\n' >disc/isolinux/isolinux.cfg
genisoimage -quiet -o disc.iso -b isolinux/isolinux.bin -c catalogue -no-emul-boot -boot-load-size 4 -boot-info-table disc
cat >bochsrc <<'END'
cpu: model=corei7_skylake_x, ips=200000000
memory: guest=512, host=512
display_library: rfb, options="timeout=0"
ata0-master: type=cdrom, path=disc.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=console
log: bochs.log
END
echo continue >commands
touch console
bochs -f bochsrc -rc commands </dev/null >bochs.out 2>&1 &
tail -f --pid=$! console
grep -q '^exit status 0' console
