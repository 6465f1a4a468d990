#!/usr/bin/env bash
# Build the wheel and the sdist, check what is in them, and run them in fresh environments.
#
#   scripts/check_package.sh FOLDER [STAGE...]
#
# FOLDER gets the built files in dist/ and an environment for each stage; delete it afterward. Needs
# bash and Linux or macOS. Stages:
#
#   contents  what the wheel and the sdist hold, and that the sdist builds the same wheel
#   plain     the wheel without extras
#   all       the wheel with all extras
#   lowest    the wheel with the lowest version of each direct dependency except torch
#
# Without a stage, all of them. PYTHON is the interpreter (python3), TORCH what pip shall install as
# torch, options included; environments share it, since it is larger than all else together.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -ge 1 ] || { sed -n '2,15s/^# \{0,1\}//p' "$0"; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
[ $# -ge 1 ] || set -- contents plain all lowest

python=${PYTHON:-python3}
torch=${TORCH:-torch==2.13.0}
export PIP_DISABLE_PIP_VERSION_CHECK=1

say() { printf '\n== %s\n' "$*"; }

seconds() { # of a command, the best of three: the first reads files from disk
  "$folder/tools/bin/python" - "$@" <<'PYTHON'
import subprocess, sys, time
best = 1e9
for _ in range(3):
    start = time.perf_counter()
    subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
    best = min(best, time.perf_counter() - start)
print(f"{best:.2f} s: {' '.join(sys.argv[1:]).replace(sys.argv[1], sys.argv[1].rpartition('/')[2])}")
PYTHON
}

build() {
  say build
  [ -x "$folder/tools/bin/python" ] || "$python" -m venv "$folder/tools"
  "$folder/tools/bin/python" -m pip install --quiet --upgrade build twine
  rm -rf "$folder/dist" "$folder/direct"
  "$folder/tools/bin/python" -m build --outdir "$folder/dist" . >"$folder/build.log" 2>&1
  "$folder/tools/bin/twine" check --strict "$folder"/dist/*
  ls -l "$folder/dist" | awk 'NR > 1 { printf "%9d bytes  %s\n", $5, $9 }'
}

check_contents() {
  say contents
  # `python -m build` made the wheel from the sdist; here it is made from the repository.
  "$folder/tools/bin/python" -m build --wheel --outdir "$folder/direct" . >>"$folder/build.log" 2>&1
  "$folder/tools/bin/python" - "$folder" <<'PYTHON'
import pathlib, sys, tarfile, zipfile

folder = pathlib.Path(sys.argv[1])
[wheel] = (folder / "dist").glob("*.whl")
[sdist] = (folder / "dist").glob("*.tar.gz")
[direct] = (folder / "direct").glob("*.whl")

def contents(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}

found, repository = contents(wheel), pathlib.Path("src")
expected = {
    path.relative_to(repository).as_posix()
    for path in (repository / "bilex").rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
}
installed = {name for name in found if not name.split("/")[0].endswith(".dist-info")}
problems = [f"the wheel lacks {name}" for name in sorted(expected - installed)]
problems += [f"the wheel holds {name}" for name in sorted(installed - expected)]
for kind, pattern, least in (
    ("type marker", "bilex/py.typed", 1),
    ("sample", "bilex/sample/*.vec.gz", 2),
    ("sample", "bilex/sample/*.tsv", 2),
    ("preset", "bilex/presets/*.toml", 5),
    ("suite", "bilex/benchmark/suites/*.toml", 5),
    ("license", "*.dist-info/licenses/LICENSE", 1),
):
    count = sum(pathlib.PurePosixPath(name).match(pattern) for name in found)
    print(f"{count:4} {kind}: {pattern}")
    if count < least:
        problems.append(f"the wheel has {count} of {pattern}, expected {least} or more")
if contents(direct) != found:
    problems.append("the sdist and the repository build different wheels")
with tarfile.open(sdist) as archive:
    names = {name.split("/", 1)[-1] for name in archive.getnames()}
for name in ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "tests/conftest.py"):
    if name not in names:
        problems.append(f"the sdist lacks {name}")
print(f"{len(found):4} files in the wheel, {len(names):,} in the sdist")
sys.exit("\n".join(problems) or 0)
PYTHON
}

environment() { # NAME: a fresh environment that finds the shared torch; prints its folder
  local env="$folder/$1" site
  if [ ! -x "$folder/torch/bin/python" ]; then
    "$python" -m venv "$folder/torch"
    # shellcheck disable=SC2086 # several words
    "$folder/torch/bin/python" -m pip install --quiet $torch
  fi
  rm -rf "$env"
  "$python" -m venv "$env"
  site='import sysconfig; print(sysconfig.get_path("purelib"))'
  "$folder/torch/bin/python" -c "$site" >"$("$env/bin/python" -c "$site")/torch.pth"
  echo "$env"
}

lower_bounds() {
  "$folder/tools/bin/python" - <<'PYTHON'
import re, tomllib
with open("pyproject.toml", "rb") as file:
    needed = tomllib.load(file)["project"]["dependencies"]
for each in needed:
    name, bound = re.fullmatch(r"([\w-]+)>=([\d.]+)", each).groups()
    if name != "torch":
        print(f"{name}=={bound}")
PYTHON
}

run_installed() { # ENVIRONMENT
  local env=$1
  rm -rf "$env/work"
  mkdir "$env/work"
  (
    cd "$env/work" # outside of the repository, so that only what was installed is found
    export BILEX_CACHE=$PWD/cache HTTP_PROXY=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:9 # offline
    "$env/bin/python" -m pip check
    "$env/bin/bilex" --version
    "$env/bin/bilex" --help >help.txt
    seconds "$env/bin/bilex" --help
    "$env/bin/python" - <<'PYTHON'
import subprocess, sys
times = []
for _ in range(3):
    lines = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import bilex"],
        capture_output=True, text=True, check=True,
    ).stderr.splitlines()
    [whole] = [line.split("|")[1] for line in lines if line.split("|")[-1].strip() == "bilex"]
    times.append(int(whole) / 1e6)
print(f"{min(times):.3f} s: import bilex")
sys.exit("import bilex takes more than 0.1 s" if min(times) > 0.1 else 0)
PYTHON
    local start=$SECONDS
    "$env/bin/bilex" demo >demo.tsv 2>demo.log || { cat demo.log; exit 1; }
    grep --quiet "$(printf 'bread\tpan')" demo.tsv
    echo "$((SECONDS - start)) s: bilex demo"
  )
}

build
wheel=$(echo "$folder"/dist/*.whl)
for stage in "$@"; do
  case $stage in
    contents) check_contents ;;
    plain | all | lowest)
      say "$stage"
      env=$(environment "$stage")
      case $stage in
        plain) "$env/bin/python" -m pip install --quiet "$wheel" ;;
        all) "$env/bin/python" -m pip install --quiet "$wheel[all]" ;;
        lowest)
          lower_bounds >"$folder/lowest.txt"
          "$env/bin/python" -m pip install --quiet "$wheel" --constraint "$folder/lowest.txt"
          ;;
      esac
      run_installed "$env"
      ;;
    *)
      echo "unknown stage $stage: expected contents, plain, all or lowest" >&2
      exit 2
      ;;
  esac
done
say 'all is well'
