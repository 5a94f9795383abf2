# Sourced by the launchers after java.sh. Runs the command with the arguments of the launcher. $supervisor is the script
# of exec.

# Runs a command with the signals that a shell ignores in its background.
with_signals() {
  if env --default-signal=INT,QUIT true 2> /dev/null; then
    exec env --default-signal=INT,QUIT "$@"
  else
    exec perl -e '$SIG{INT} = $SIG{QUIT} = "DEFAULT"; exec { $ARGV[0] } @ARGV' "$@"
  fi
}

# Starts the supervisor of exec's command, whose pipe is in $directory. A shell has its background
# read nothing, so the supervisor gets the input through a free descriptor. Another one keeps the pipe open in Java.
supervise() {
  free=
  for n in 9 8 7 6 5 4 3; do
    [ -e "/dev/fd/$n" ] || free="$free $n"
  done
  input=${free##* }
  pipe=${free% *}
  pipe=${pipe##* }
  [ -n "$pipe" ] || return 0
  script=$(cat "$supervisor")
  directory=$(mktemp -d) && mkfifo "$directory/pipe" || exit 70
  eval "exec $pipe<> \"\$directory/pipe\" $input<&0"
  eval 'with_signals sh -c "$script" boltwork-supervisor "$script" "$directory" "$pipe" "" "$@"' "<&$input $input<&- &"
  eval "exec $input<&-"
}

directory=

# Java closes the descriptors above 2 in its children. If there are some, a supervisor that has them is started before
# Java. "ls" sees 0 to 2 and one of its own.
case " $* " in *' exec '*) [ "$(ls /dev/fd 2> /dev/null | wc -l)" -le 4 ] || supervise "$@" ;; esac

# Java reads arguments as the locale says, and cron's locale knows ASCII only. The command of exec gets its locale back.
if [ "$(locale charmap 2> /dev/null)" != UTF-8 ]; then
  export BOLTWORK_LC_ALL="${LC_ALL-}" LC_ALL=C.UTF-8
fi

set -- io.boltwork.tools.BoltworkCommand "$@"
[ -z "$directory" ] || set -- "-Dboltwork.supervisor=$directory" "-Dboltwork.supervisor.pid=$!" "$@"

if [ -e /proc/self/fd/9 ]; then
  class_path=$jar # the descriptor is the caller's
elif has_archive && [ -s "$archive" ]; then
  # an archive that does not fit is no news for the command's output
  set -- "-XX:SharedArchiveFile=$archive" -Xlog:disable "$@"
fi
run_java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC "$@"
