# Sourced by the scripts of the command, which set $jar. Finds Java: $java runs it, $home is its directory, $version its
# major version. $archive is the file with the archive of classes, and $class_path the name of the jar.

fail() {
  echo "boltwork: $1" >&2
  exit 70
}

if [ -n "${JAVA_HOME:-}" ]; then
  java=$JAVA_HOME/bin/java
  home=$JAVA_HOME
  where="JAVA_HOME ($JAVA_HOME)"
else
  java=$(command -v java)
  home=$(readlink -f "$java" 2> /dev/null)
  home=${home%/bin/java}
  where='the PATH'
fi
[ -x "$java" ] || fail "Java, 17 or later, is needed, but there is none in $where: see https://adoptium.net"

# The file "release" tells in no time what "java -version" tells in a tenth of a second. On macOS, java may be a stub
# without it.
version=
if [ -r "$home/release" ]; then
  while IFS= read -r line; do
    case $line in
      JAVA_VERSION=*) version=${line#*=\"} ;;
    esac
  done < "$home/release"
else
  version=$("$java" -version 2>&1 | sed -n 's/.* version "\([^"]*\).*/\1/p' | head -n 1)
fi
version=${version%%[!0-9]*}
[ -n "$version" ] || fail "Java, 17 or later, is needed, but there is none in $where: see https://adoptium.net"
[ "$version" -ge 17 ] ||
  fail "Java, 17 or later, is needed, but the one in $where is older: see https://adoptium.net"

# An archive fits one build of Java, one jar, and before Java 19 also one name of the jar. This name is the same
# everywhere: a descriptor of the JVM.
archive=${jar%.jar}.jsa
class_path=$jar
[ ! -e /proc/self/fd/0 ] || class_path=/proc/self/fd/9

# Returns whether the archive was made by this Java. One that failed is empty, so that it is not tried again and again.
has_archive() {
  [ -e "$archive" ] && [ ! "$jar" -nt "$archive" ] && cmp -s "$home/release" "$archive.java"
}

# Replaces this process by a JVM with these arguments, whose other settings must be the same when the archive is made
# and used. Otherwise, the JVM would print its threads into the output of exec's command if it receives QUIT.
run_java() {
  if [ "$version" -ge 24 ]; then
    # required by Netty to work without warnings
    set -- --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow "$@"
  fi
  set -- -XX:+UnlockDiagnosticVMOptions -XX:-DisplayVMOutput -Xms8m -Xmx1g -cp "$class_path" "$@"
  [ "$class_path" = "$jar" ] || exec "$java" "$@" 9< "$jar"
  exec "$java" "$@"
}
