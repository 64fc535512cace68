#!/usr/bin/env python3
"""Checks the proofs of proof/: Coq's compiler, its independent checker, and the axioms of every theorem.

usage: check_proofs.py REPOSITORY BUILD_FOLDER [--write]

Every theorem of a Summary.v must use exactly the axioms that proof/axioms.txt lists, which --write makes anew.
Nothing may be admitted.
"""

import pathlib
import re
import shutil
import subprocess
import sys

FORBIDDEN = re.compile(r"\b(Admitted|admit|Axiom|Axioms|Parameter|Parameters|Conjecture|Hypothesis|Variable|bypass_check|"
                       r"Unset +Guard|Unset +Positivity|Unset +Universe)\b")


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}")
    return done.stdout


def main():
    proof, build = pathlib.Path(sys.argv[1]) / "proof", pathlib.Path(sys.argv[2])
    files = [line for line in (proof / "_CoqProject").read_text().split("\n") if line.endswith(".v")]
    found = {path.relative_to(proof).as_posix() for path in proof.rglob("*.v")} - {"Extract.v"}
    if found != set(files):
        sys.exit(f"proof/_CoqProject and the files differ: {', '.join(sorted(found ^ set(files)))}")
    if build.exists():
        shutil.rmtree(build)
    theorems = []
    for name in files:
        text = (proof / name).read_text()
        bad = FORBIDDEN.search(re.sub(r"\(\*.*?\*\)", "", text, flags=re.S))
        if bad:
            sys.exit(f"proof/{name} has {bad[0]}: everything must be proved")
        (build / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(proof / name, build / name)
        run("coqc", "-q", "-R", ".", "Mollify", name, cwd=build)
        if name.endswith("/Summary.v"):
            module = "Mollify." + name[:-2].replace("/", ".")
            theorems += [f"{module}.{theorem}" for theorem in re.findall(r"^Theorem (\w+)", text, flags=re.M)]
    if len(theorems) < 10:
        sys.exit("the summaries have fewer than 10 theorems")
    # The standard library is taken from Debian as it is; all of these files are checked.
    modules = [word for name in files for word in ("-norec", "Mollify." + name[:-2].replace("/", "."))]
    run("coqchk", "-silent", "-R", ".", "Mollify", *modules, cwd=build)

    script = "".join(f"Require {theorem.rsplit('.', 1)[0]}.\nPrint Assumptions {theorem}.\n" for theorem in theorems)
    (build / "assumptions.v").write_text(script)
    printed = run("coqc", "-q", "-R", ".", "Mollify", "assumptions.v", cwd=build)
    answers = re.split(r"^(?=Closed under the global context|Axioms:)", printed, flags=re.M)[1:]
    if len(answers) != len(theorems):
        sys.exit(f"{len(theorems)} theorems, but axioms of {len(answers)} were printed:\n{printed}")
    lines = []
    for theorem, answer in zip(theorems, answers):
        axioms = sorted(set(re.findall(r"^([A-Z]\w*\.[\w.]+)", answer, flags=re.M)))
        lines.append(f"{theorem}: {' '.join(axioms) or 'none'}\n")
    made = "".join(lines)
    if "--write" in sys.argv:
        (proof / "axioms.txt").write_text(made)
    elif (proof / "axioms.txt").read_text() != made:
        sys.exit(f"the theorems use other axioms than proof/axioms.txt lists:\n{made}")
    print(f"{len(theorems)} theorems, {made.count(': none')} of them without any axiom")


if __name__ == "__main__":
    main()
