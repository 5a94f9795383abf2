# Sourced by the scripts in this directory. $root is the tree, and $mvn the command that runs Maven, which MVN sets.

root=$(cd "$(dirname "$0")/.." && pwd)
mvn=${MVN:-mvn -B -ntp}

# archives contain the rights of files
umask 022

fail() {
  echo "$*" >&2
  exit 1
}

say() {
  echo "== $*"
}

# Prints the version in the POM of the tree $1.
version_of() {
  sed -n 's:^  <version>\(.*\)</version>$:\1:p' "$1/pom.xml" | head -n 1
}

# Prints the directories of the modules of the tree $1 that are published, without the parent, one a line.
published_in() {
  sed -n 's:^ *<module>\(.*\)</module>$:\1:p' "$1/pom.xml" | while read -r module; do
    grep -q '<maven.deploy.skip>true' "$1/$module/pom.xml" || echo "$module"
  done
}

# Prints the same as a list for mvn -pl, with the parent.
projects_of() {
  (echo .; published_in "$1") | paste -s -d, -
}

# Runs Maven in the tree $1 and shows its output if it fails.
maven_in() {
  local tree=$1 log
  shift
  log=$tree/maven.log
  (cd "$tree" && $mvn "$@") > "$log" 2>&1 || {
    tail -n 60 "$log" >&2
    fail "mvn $* failed; all of its output is in $log"
  }
}

# Copies the files of commit $1 to the new directory $2.
copy_of() {
  rm -rf "$2"
  mkdir -p "$2"
  git -C "$root" archive "$1" | tar -x --no-same-permissions -C "$2"
}
