#!/usr/bin/env python3
"""Builds the device library alone for one target, measures it, and draws there with frozen entropy.

usage: targets.py REPOSITORY FOLDER TARGET

The draws must be those of tests/data/device_draws.txt. A target whose compiler or emulator is missing is skipped,
with status 77. MOLLIFY_WRITE=1 writes the draws of target `shared` into that file.

Phones' targets are compiled and not linked: for that their kits are needed. Their headers are Zig's copy of Darwin's, and
those of a checkout of Android's C library (aosp-mirror/platform_bionic), which the variable BIONIC names.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
# Of the shared library, stripped, and of a program with the library and the C and C++ libraries in it.
MOST_BYTES = {"shared": 120_000, "musl": 300_000}

# Debian's cross compilers: the machine's name for them, and its emulator.
CROSS = {"aarch64": ("aarch64-linux-gnu", "qemu-aarch64"), "arm": ("arm-linux-gnueabihf", "qemu-arm")}
# Zig's names.
ZIG = {
    "musl": "x86_64-linux-musl",
    "wasm": "wasm32-wasi",
    "aarch64-musl": "aarch64-linux-musl",
    "armv7-musl": "arm-linux-musleabihf",
    "macos": "aarch64-macos",
    "macos-x86_64": "x86_64-macos",
    "windows": "x86_64-windows-gnu",
    "windows-aarch64": "aarch64-windows-gnu",
    "ios": "aarch64-ios",
    "android": "aarch64-linux-android",
    "android-armv7": "arm-linux-androideabi",
    "android-x86_64": "x86_64-linux-android",
}
STATIC = {"musl": "", "aarch64-musl": "qemu-aarch64", "armv7-musl": "qemu-arm"}  # and their emulators
PHONES = {"ios": "", "android": "arm64", "android-armv7": "arm", "android-x86_64": "x86"}  # and the kernel's name of a processor


def skip(what):
    print(f"skipped: {what} is missing")
    sys.exit(SKIPPED)


def run(*command, **options):
    print("+", *command, flush=True)
    return subprocess.run([str(part) for part in command], check=True, **options)


def zig(repository):
    """Zig's command: of scripts/get_zig.sh, or of the system."""
    for command in ([repository / "build/zig/bin/python", "-m", "ziglang"], ["zig"]):
        try:
            subprocess.run([*map(str, command), "version"], check=True, capture_output=True)
            return [str(part) for part in command]
        except (OSError, subprocess.CalledProcessError):
            continue
    return skip("Zig (scripts/get_zig.sh)")


def headers(repository, target):
    """Options by which Zig finds a phone's headers."""
    if target == "ios":
        shown = subprocess.run([*zig(repository), "env"], check=True, capture_output=True, text=True).stdout
        folder = pathlib.Path(re.search(r'lib_dir"?\s*[=:]\s*"([^"]+)"', shown)[1]).resolve()
        return ["-isystem", str(folder / "libc/include/any-darwin-any")]
    bionic = pathlib.Path(os.environ.get("BIONIC") or skip("Android's C library (BIONIC=FOLDER)")).resolve()
    kernel = bionic / "libc/kernel"
    folders = [bionic / "libc/include", kernel / f"uapi/asm-{PHONES[target]}", kernel / "uapi", kernel / "android/uapi"]
    return [part for each in folders for part in ("-isystem", str(each))]


def compilers(repository, folder, target):
    """C and C++ compilers as CMake takes them, and the program that runs another one."""
    if target == "shared":
        return os.environ.get("CC", "cc"), os.environ.get("CXX", "c++"), []
    if target in CROSS:
        machine, emulator = CROSS[target]
        emulator = shutil.which(emulator) or shutil.which(emulator + "-static") or skip(emulator)
        for compiler in (f"{machine}-gcc", f"{machine}-g++"):
            shutil.which(compiler) or skip(compiler)
        return f"{machine}-gcc", f"{machine}-g++", [emulator, "-L", f"/usr/{machine}"]
    # CMake wants a compiler to be one program.
    wrappers = []
    for language in ("cc", "c++"):
        wrapper = folder / f"zig-{language}"
        command = " ".join([*zig(repository), language, "-target", ZIG[target], *(headers(repository, target) if target in PHONES else ())])
        wrapper.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        wrapper.chmod(0o755)
        wrappers.append(wrapper)
    for tool in ("ar", "ranlib"):
        (folder / f"zig-{tool}").write_text(f'#!/bin/sh\nexec {" ".join(zig(repository))} {tool} "$@"\n')
        (folder / f"zig-{tool}").chmod(0o755)
    runs = []
    if target == "wasm":
        node = shutil.which("node") or skip("node")
        runs = [node, "--no-warnings", repository / "tests/device/run_wasm.mjs"]
    if emulator := STATIC.get(target):
        runs = [shutil.which(emulator) or shutil.which(emulator + "-static") or skip(emulator)]
    return *wrappers, runs


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    repository, folder, target = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    folder = folder / target
    folder.mkdir(parents=True, exist_ok=True)
    cc, cxx, runs = compilers(repository, folder, target)
    options = [f"-DCMAKE_C_COMPILER={cc}", f"-DCMAKE_CXX_COMPILER={cxx}", "-DCMAKE_BUILD_TYPE=Release"]
    if target in ZIG:
        options += [f"-DCMAKE_{tool.upper()}={folder}/zig-{tool}" for tool in ("ar", "ranlib")]
    if target != "shared":
        options += [f"-DCMAKE_SYSTEM_NAME={system_of(target)}", "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY"]
    else:
        options += ["-DBUILD_SHARED_LIBS=ON"]
    build = folder / "build"
    # CMake forgets the options of a folder that knew the compiler by another path.
    shutil.rmtree(build, ignore_errors=True)
    run("cmake", "-S", repository, "-B", build, "-G", "Ninja", "-DMOLLIFY_DEVICE_ONLY=ON", *options,
        stdout=subprocess.DEVNULL)
    run("cmake", "--build", build, stdout=subprocess.DEVNULL)
    prefix = folder / "prefix"
    run("cmake", "--install", build, "--prefix", prefix, stdout=subprocess.DEVNULL)

    program = folder / ("golden_draws.wasm" if target == "wasm" else "golden_draws")
    objects = folder / "golden_draws.o"
    run(cc, "-std=c11", "-Os", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{prefix}/include", "-c",
        repository / "tests/device/golden_draws.c", "-o", objects)
    if target in PHONES:
        size = next(prefix.rglob("*mollify_device.a")).stat().st_size
        print(f"{target}: the library has {size} bytes before a linker leaves out what is not called; compiled, not linked")
        return
    library = next(prefix.rglob("*mollify_device.a"), None) or next(prefix.rglob("libmollify_device.so"))
    links = ["-Os", "-s"] if target in ZIG else []
    if target not in ("macos", "macos-x86_64"):
        links.append("-Wl,--gc-sections")
    if target in STATIC:
        links.append("-static")
    if target.startswith("windows"):
        links.append("-lbcrypt")
    run(cxx, objects, library, *links, "-o", program, f"-Wl,-rpath,{library.parent}" if target == "shared" else "-lc")

    measured = program
    if target == "shared":
        measured = folder / "stripped.so"
        run("strip", library.resolve(), "-o", measured)
        shown = subprocess.run(["nm", "-D", "--defined-only", measured], check=True, capture_output=True, text=True)
        if others := [line for line in shown.stdout.splitlines() if " mollify_device_" not in line]:
            sys.exit(f"{measured.name} exports what mollify/device.h does not declare: {others}")
    size = measured.stat().st_size
    print(f"{target}: {measured.name} has {size} bytes")
    most = MOST_BYTES.get(target)
    if most is not None and size > most:
        sys.exit(f"{measured.name} of target {target} has {size} bytes, and may have {most}")

    if target in ZIG and target not in (*STATIC, "wasm"):
        print(f"{target}: compiled and linked, not run")
        return
    drawn = run(*runs, program, stdout=subprocess.PIPE, text=True).stdout
    golden = repository / "tests/data/device_draws.txt"
    if target == "shared" and os.environ.get("MOLLIFY_WRITE") == "1":
        golden.write_text(drawn)
    if drawn != golden.read_text():
        (folder / "drawn.txt").write_text(drawn)
        sys.exit(f"target {target} draws other integers: compare {folder}/drawn.txt with {golden}")
    print(f"{target}: {len(drawn.splitlines())} lines of draws, all as in {golden.name}")
    if target == "wasm":
        refused = subprocess.run([*map(str, runs), program, "none"], stdout=subprocess.PIPE, text=True)
        expected = "3: the operating system gives no entropy, so nothing was released\n"
        if refused.returncode == 0 or not refused.stdout.endswith(expected):
            sys.exit(f"without entropy the program must end with {expected!r}, but printed {refused.stdout!r}")


def system_of(target):
    for name, system in (("macos", "Darwin"), ("ios", "Darwin"), ("windows", "Windows"), ("wasm", "Generic")):
        if target.startswith(name):
            return system
    return "Linux"


if __name__ == "__main__":
    main()
