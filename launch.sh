# Sourced by ./demo, ./demo-web, bench/run and ./boltwork, which set their name ($what) and module ($module).

stamp=$module/target/classpath
log=$module/target/$what-build.log

fail() {
  echo "$1" >&2
  exit 2
}

if [ -n "${JAVA_HOME:-}" ]; then
  java=$JAVA_HOME/bin/java
  javac=$JAVA_HOME/bin/javac
  where="JAVA_HOME ($JAVA_HOME)"
else
  java=java
  javac=javac
  where='the PATH'
fi

# Prints the major version, such as 17, or nothing if there is no JDK. On macOS, java may be a stub that only asks for a
# JDK.
jdk_version() {
  "$javac" -version 2>&1 | sed -n 's/^javac \([0-9][0-9]*\).*/\1/p' | head -n 1
}

check_jdk() {
  version=$(jdk_version)
  [ -n "$version" ] ||
    fail "The $what needs a JDK, 17 or later, but there is none in $where: see https://adoptium.net"
  [ "$version" -ge 17 ] ||
    fail "The $what needs a JDK, 17 or later, but the one in $where is $version: see https://adoptium.net"
}

is_built() {
  [ -f "$stamp" ] || return 1
  [ -z "$(find pom.xml ./*/pom.xml ./*/src/main "$module/pom.xml" "$module/src/main" -newer "$stamp" 2>/dev/null |
    head -n 1)" ] || return 1
  tr ':' '\n' < "$stamp" | while IFS= read -r entry || [ -n "$entry" ]; do
    [ -e "$entry" ] || exit 1
  done
}

# Runs goals of Maven for the module.
build() {
  command -v mvn > /dev/null 2>&1 ||
    fail "The $what is built with Maven, but there is no mvn on the PATH: see https://maven.apache.org/install.html"
  printf 'Building... (the first time also downloads libraries: a minute or two)' >&2
  dots=
  if [ -t 2 ]; then
    while sleep 2 && kill -0 $$ 2> /dev/null; do printf . >&2; done &
    dots=$!
    trap 'kill "$dots" 2> /dev/null' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
  fi
  mkdir -p "$module/target"
  mvn -q -B -ntp -pl "$module" -am "$@" > "$log" 2>&1
  built=$?
  echo >&2
  if [ -n "$dots" ]; then
    trap - EXIT INT TERM
    kill "$dots" 2> /dev/null
  fi
  if [ "$built" -ne 0 ]; then
    cat "$log" >&2
    echo "The build failed; its output is above and in $log." >&2
    exit 3
  fi
  rm -f "$log"
}

# Replaces this process by a JVM with these arguments.
launch() {
  if [ "$version" -ge 24 ]; then
    # required by Netty to work without warnings
    set -- --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow "$@"
  fi
  exec "$java" -cp "$classes" -Dslf4j.internal.verbosity=ERROR "$@"
}

# Prints the width of the terminal.
columns() {
  tput cols 2> /dev/null || echo 80
}

# Rebuilds after changes, and sets $classes to the class path.
prepare() {
  check_jdk
  is_built || build process-classes
  classes=$PWD/$module/target/classes:$(cat "$stamp")
}
