#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Plants one fault at a time, as mutants.txt lists them, and demands that the tests it names fail.

Each mutant is compiled in a scratch copy of the sources, without optimisation, together with objects that do not
depend on the mutated file and are kept from before. First every test that is named runs on the sources as they are,
and must pass: only then does a failure say anything. A compile error is not a kill, nor is a text that is not found
exactly once. Seeds and schedules are fixed, so a run can be repeated.

usage: run_mutants.py [--sample N] [--build FOLDER] [name...]
    --sample N   N of them, evenly spread, among those that need no sanitizer
    --build      where scratch copy and objects go: build/mutants
    name         mutants, or files
"""
import argparse
import hashlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
CPU_SECONDS = {True: 60, False: 10}  # emulated or not: ten times and more what a test takes as it is
SCHEDULES = {"lookback": 6, "lookback_ends": 6, "select": 6, "unique": 6, "partition": 6, "tile_io": 2}  # as in tests/simt; of the others 12

# ----------------------------------------------------------------------------------------------------- programs

MACHINE = [f"tests/simt/simt_{part}.cpp" for part in ("async", "core", "fibers", "memory", "warp")]
ORACLES = ["src/cuda/shape.c", "src/types.c", "src/value.c"] + [
    f"tests/{name}.c" for name in ("oracle", "oracle_items", "oracle_select", "order_oracle")]
FOLDS = ["tests/simt/fold_kernels.cpp", "tests/simt/no_tables.c", "src/cuda/fold.c"] + ORACLES
SOURCES = {
    "lookback": ["tests/simt/test_lookback.cpp"] + FOLDS,
    "lookback_ends": ["tests/simt/test_lookback_ends.cpp"] + FOLDS,
    "select": ["tests/simt/test_select.cpp", "tests/simt/no_tables.c", "src/cuda/select.c", "src/predicate.c"] + ORACLES,
    "unique": ["tests/simt/test_unique.cpp", "tests/simt/no_tables.c"] + ORACLES,
    "partition": ["tests/simt/test_partition.cpp", "tests/simt/no_tables.c", "src/predicate.c"] + ORACLES,
    "host_lookback": ["tests/test_lookback.c", "src/host/lookback.c", "tests/prop.c"],
}
for part in ("block", "warp", "tile_io", "memory", "operators", "walk"):
    SOURCES[part] = [f"tests/simt/test_{part}.cpp"]

INCLUDES = ["-Itests/simt", "-Isrc", "-Iinclude", "-I."]
SANITIZERS = {
    "asan": ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DSIMT_ASAN"],
    "tsan": ["-fsanitize=thread", "-DSIMT_TSAN"],
}


class Program:
    """A test program, named by a key of SOURCES and how it is built: lookback, lookback-sm80, block-tsan."""

    def __init__(self, name):
        self.name = name
        self.base, *self.modes = name.split("-")
        if self.base not in SOURCES or not set(self.modes) <= {"sm80", "asan", "tsan"}:
            sys.exit(f"mutants.txt: there is no program {name}")
        self.is_emulated = self.base != "host_lookback"
        self.sources = SOURCES[self.base] + (["tests/simt/harness.cpp"] + MACHINE if self.is_emulated else [])

    def compilers(self):
        """For C and C++. The emulator's fibers need clang's ThreadSanitizer."""
        if "tsan" in self.modes:
            cxx = os.environ.get("MUTANTS_CLANGXX") or next(
                (name for name in ("clang++-19", "clang++-20", "clang++-18", "clang++") if shutil.which(name)), None)
            return (cxx.replace("clang++", "clang"), cxx) if cxx else None
        return os.environ.get("CC", "gcc"), os.environ.get("CXX", "g++")

    def sanitizers(self, linking=False):
        flags = [flag for mode in self.modes for flag in SANITIZERS.get(mode, [])]
        return [flag for flag in flags if flag.startswith("-f")] if linking else flags

    def command(self, source):
        cc, cxx = self.compilers()
        if source.endswith(".c"):
            flags = [cc, "-std=gnu11", "-ffp-contract=off", "-fno-strict-aliasing"] + INCLUDES
            if self.is_emulated:  # the oracle: never mutated, and slow without optimisation
                return flags + ["-O2"]
            return flags + ["-O1"] + [flag for flag in self.sanitizers() if not flag.startswith("-D")]
        flags = [cxx, "-std=c++17", "-ffp-contract=off", "-Wno-unknown-pragmas", "-DONEPASS_SIMT"] + INCLUDES
        if "sm80" in self.modes:
            flags.append("-DONEPASS_SIMT_ARCH=800")
        if source not in MACHINE:
            return flags + ["-O0"] + self.sanitizers()
        sanitizers = self.sanitizers()
        if "tsan" in self.modes:  # the machine drives it, and is not watched
            sanitizers.remove("-fsanitize=thread")
        return flags + ["-O2"] + sanitizers

    def link_command(self):
        libraries = ["-lboost_context", "-lm"] if self.is_emulated else ["-lcmocka", "-lpthread"]
        return [self.compilers()[1 if self.is_emulated else 0]] + self.sanitizers(linking=True), libraries


# ------------------------------------------------------------------------------------------------------ mutants

class Mutant:
    def __init__(self, name, file, line):
        self.name, self.file, self.line = name, file, line
        self.old, self.new = [], []
        self.runs = []  # (program, tests)
        self.argument = None

    def apply(self, text):
        """The text with the fault in it. White space matches any other, so that layout may change."""
        words = " ".join(self.old).split()
        pattern = r"\s+".join(re.escape(word) for word in words)
        found = list(re.finditer(pattern, text))
        if len(found) != 1:
            raise LookupError(f"its text is there {len(found)} times, not once")
        return text[:found[0].start()] + "\n".join(self.new) + text[found[0].end():]


def read_mutants(path):
    mutants, file, mutant = [], None, None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        keyword, _, rest = line.partition(" ")
        if keyword == "file":
            file = rest
        elif keyword == "mutant":
            mutant = Mutant(rest, file, number)
            mutants.append(mutant)
        elif keyword == "-":
            mutant.old.append(rest)
        elif keyword == "+":
            mutant.new.append(rest)
        elif keyword == "run":
            program, *tests = rest.split()
            mutant.runs.append((program, tests))
        elif keyword == "argue":
            mutant.argument = rest
        elif keyword not in ("", "#"):
            sys.exit(f"{path}:{number}: what is this?")
    for mutant in mutants:
        if not mutant.old or bool(mutant.runs) == bool(mutant.argument):
            sys.exit(f"{path}:{mutant.line}: {mutant.name} needs its text, and either `run` or `argue`")
    if len({mutant.name for mutant in mutants}) != len(mutants):
        sys.exit(f"{path}: a name is there twice")
    return mutants


# --------------------------------------------------------------------------------------------------- the bench

class Bench:
    """A scratch copy of the sources, and objects of them as they are."""

    def __init__(self, build):
        self.tree, self.objects, self.mutated = build / "tree", build / "objects", build / "mutated"
        shutil.rmtree(self.tree, ignore_errors=True)
        shutil.rmtree(self.mutated, ignore_errors=True)
        for folder in ("src", "lookback", "compaction", "include", "tests"):
            shutil.copytree(TOP / folder, self.tree / folder)
        for folder in (self.objects, self.mutated):
            folder.mkdir(parents=True, exist_ok=True)
        self.known = {}  # what a path holds, as a digest

    def digest(self, path):
        if path not in self.known:
            self.known[path] = hashlib.sha256((self.tree / path).read_bytes()).hexdigest()
        return self.known[path]

    def compile(self, command, source, to):
        """Returns what the compiler says if it fails."""
        done = subprocess.run(command + ["-c", source, "-o", str(to), "-MMD", "-MF", f"{to}.d"], cwd=self.tree,
                              capture_output=True, text=True)
        return done.stderr if done.returncode else None

    @staticmethod
    def files_of(to):
        """The project's files that an object was made from."""
        names = Path(f"{to}.d").read_text().replace("\\\n", " ").split(":", 1)[1].split()
        return [os.path.normpath(name) for name in names if not name.startswith("/")]

    def object_of(self, program, source):
        """The object of the sources as they are, made anew if one of its files has changed."""
        command = program.command(source)
        key = hashlib.sha256(" ".join(command + [source]).encode()).hexdigest()[:16]
        to = self.objects / f"{Path(source).stem}-{key}.o"
        stamp = Path(f"{to}.from")
        if to.exists() and stamp.exists():
            made_from = dict(line.split(" ") for line in stamp.read_text().splitlines())
            if all((self.tree / path).exists() and self.digest(path) == was for path, was in made_from.items()):
                return to
        error = self.compile(command, source, to)
        if error:
            sys.exit(f"{source} does not compile as it is:\n{error}")
        stamp.write_text("".join(f"{path} {self.digest(path)}\n" for path in self.files_of(to)))
        return to

    def build(self, program, mutated_file=None):
        """(the program's path, None) or (None, what is wrong)."""
        objects = []
        for source in program.sources:
            to = self.object_of(program, source) if mutated_file is None else self.ready[program.name, source]
            if mutated_file is None:
                self.ready[program.name, source] = to
            elif mutated_file in self.files_of(to):
                mutated = self.mutated / to.name
                error = self.compile(program.command(source), source, mutated)
                if error:
                    return None, error
                to = mutated
            objects.append(str(to))
        path = self.mutated / (program.name if mutated_file else f"{program.name}-unchanged")
        command, libraries = program.link_command()
        done = subprocess.run(command + objects + libraries + ["-o", str(path)], capture_output=True, text=True)
        return (path, None) if done.returncode == 0 else (None, done.stderr)

    ready = {}


def run_test(program, path, test):
    """None if the test passes; else what it came to."""
    command = [str(path)]
    environment = dict(os.environ, TSAN_OPTIONS="halt_on_error=1", ASAN_OPTIONS="detect_leaks=0")
    if program.is_emulated:
        command += ["--seed", "1", "--schedules", str(SCHEDULES.get(program.base, 12))] + ([test] if test else [])
    if "tsan" in program.modes and shutil.which("setarch"):
        command = ["setarch", "-R"] + command  # memory at random places is more than some ThreadSanitizers expect
    limit = CPU_SECONDS[program.is_emulated]  # of computing: others may keep the machine busy
    child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             start_new_session=True,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
    try:
        output, _ = child.communicate(timeout=10 * limit)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        return "no end"
    if child.returncode == 0:
        return None
    if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"no end after {limit} s"
    lines = [line for line in output.decode(errors="replace").splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"says|is not|WARNING: Thread|ERROR: Add|runtime error|\[  ERROR", line)]
    return (telling or lines or [f"status {child.returncode}"])[0].strip()


def check_unchanged(bench, mutants):
    """Everything the mutants name passes without them."""
    wanted = {}
    for mutant in mutants:
        for name, tests in mutant.runs:
            wanted.setdefault(name, {}).update(dict.fromkeys(tests or [None]))
    for name, tests in wanted.items():
        program = Program(name)
        if program.compilers() is None:
            continue
        path, error = bench.build(program)
        if error:
            sys.exit(f"{name} does not link as it is:\n{error}")
        for test in tests:
            wrong = run_test(program, path, test)
            if wrong:
                sys.exit(f"{name} {test or ''} fails as it is: {wrong}")


def try_mutant(bench, mutant):
    """(verdict, explanation)."""
    original = (bench.tree / mutant.file).read_text()
    try:
        changed = mutant.apply(original)
    except LookupError as error:
        return "ROTTEN", str(error)
    if mutant.argument:
        return "argued", mutant.argument
    (bench.tree / mutant.file).write_text(changed)
    try:
        skipped = False
        for name, tests in mutant.runs:
            program = Program(name)
            if program.compilers() is None:
                skipped = True
                continue
            path, error = bench.build(program, mutant.file)
            if error:
                return "ROTTEN", "does not compile: " + next(
                    (line for line in error.splitlines() if "error" in line), error[:200])
            for test in tests or [None]:
                wrong = run_test(program, path, test)
                if wrong:
                    return "killed", f"{name} {test or ''}: {wrong}"
        return ("skipped", "no clang++") if skipped else ("SURVIVED", "")
    finally:
        (bench.tree / mutant.file).write_text(original)


def main():
    parser = argparse.ArgumentParser(description="plants faults, and demands that tests fail")
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--build", type=Path, default=TOP / "build" / "mutants", metavar="FOLDER")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()

    mutants = read_mutants(Path(__file__).with_name("mutants.txt"))
    if arguments.names:
        mutants = [m for m in mutants if m.name in arguments.names or m.file in arguments.names]
    chosen = mutants
    if arguments.sample:
        plain = [m for m in mutants if m.runs and not any("-" in program for program, _ in m.runs)]
        chosen = [plain[i * len(plain) // arguments.sample] for i in range(arguments.sample)]
    if not chosen:
        sys.exit("no such mutant")

    began = time.monotonic()
    bench = Bench(arguments.build.resolve())
    for mutant in mutants:  # also of those that are not run: the list must not rot
        try:
            mutant.apply((bench.tree / mutant.file).read_text())
        except (LookupError, OSError) as error:
            sys.exit(f"mutants.txt:{mutant.line}: {mutant.name} in {mutant.file}: {error}")
    check_unchanged(bench, chosen)
    print(f"unchanged: passes ({time.monotonic() - began:.1f} s)", flush=True)

    counts = {}
    for mutant in chosen:
        started = time.monotonic()
        verdict, why = try_mutant(bench, mutant)
        counts[verdict] = counts.get(verdict, 0) + 1
        print(f"{verdict:9} {mutant.file}: {mutant.name} ({time.monotonic() - started:.1f} s) {why[:150]}", flush=True)
    print(", ".join(f"{number} {verdict}" for verdict, number in counts.items()),
          f"in {time.monotonic() - began:.0f} s")
    return 1 if set(counts) & {"SURVIVED", "ROTTEN"} else 0


if __name__ == "__main__":
    sys.exit(main())
