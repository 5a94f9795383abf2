# Runs a command in a session of its own, and ends it when boltwork asks for it or has died.
#
#   sh -c SCRIPT boltwork-supervisor SCRIPT DIRECTORY GRACE COMMAND [ARGUMENT ...]
#   sh -c SCRIPT boltwork-watcher "" DIRECTORY GRACE
#
# SCRIPT is this text, GRACE a time in seconds. DIRECTORY has the named pipe "pipe", which boltwork holds open. A line in it is
# the name of a signal for the command's process group, or "END SECONDS": TERM, and KILL after that time. The end of the pipe
# means END with the grace: the system closes it when boltwork dies, however it dies. The exit code is that of the command.
#
# The supervisor waits for the command, and the watcher reads the pipe. The watcher has a session of its own, so that a KILL for
# the group of boltwork leaves it. If the supervisor is killed, the watcher still ends the command when boltwork closes the
# pipe. The file "group" tells boltwork that there may be a command: it exists from before the command's first instruction
# until nothing is left of its group.

set -u
script=$1
directory=$2
grace=$3
shift 3
signals='INT TERM HUP USR1 USR2 ALRM WINCH CONT TTIN TTOU QUIT TSTP'

in_own_session() {
  if command -v setsid > /dev/null 2>&1; then
    setsid "$@"
  else
    perl -e 'use POSIX; POSIX::setsid(); exec { $ARGV[0] } @ARGV or exit 127' "$@"
  fi
}

# Sends a signal to the command's group. Waits for the group if it is just beginning.
send() {
  while [ ! -e "$directory/group" ]; do
    [ -e "$directory/pipe" ] || return 1
    sleep 0.02
  done
  read -r group 2> /dev/null < "$directory/group" && kill -s "$1" -- "-$group" 2> /dev/null
}

# Sends KILL to the command's group after a time, in one sleep: many short ones take longer on a busy machine. USR1 cancels it.
kill_after() {
  sleep "$1" &
  trap "kill $! 2> /dev/null; exit 0" USR1
  wait $! && send KILL
}

# Sends TERM to the command's group, and KILL to what is left of it after a time. A stopped process acts on TERM when it
# continues.
finish() {
  send 0 || return 0
  kill_after "$1" < /dev/null > /dev/null 2>&1 &
  killer=$!
  send TERM
  send CONT
  while send 0 && kill -0 "$killer" 2> /dev/null; do
    sleep 0.05
  done
  kill -s USR1 "$killer" 2> /dev/null
}

clean_up() {
  rm -f "$directory/group" "$directory/pipe"
  rmdir "$directory" 2> /dev/null
}

if [ -z "$script" ]; then
  trap '' $signals
  ending=
  while read -r order seconds; do
    case $order in
      END) finish "${seconds:-$grace}" & ending=$! ;;
      *) send "$order" ;;
    esac
  done
  if [ -n "$ending" ]; then
    wait "$ending"
  else
    finish "$grace"
  fi
  clean_up
  exit 0
fi

# Opened for writing first, because opening a pipe that nobody writes would wait for ever if boltwork has died meanwhile.
exec 4<> "$directory/pipe" 3< "$directory/pipe" 4>&-

# They reach the command through the pipe, except QUIT and TSTP. A trap, because the command would inherit that a signal is ignored.
trap : $signals

# A job in the background must not take the input of its shell.
if [ -t 0 ] && [ "$(ps -o pgid= -p $$ 2> /dev/null)" -ne "$(ps -o tpgid= -p $$ 2> /dev/null)" ] 2> /dev/null; then
  exec < /dev/null
fi

# It must not hold the command's output open.
in_own_session sh -c "$script" boltwork-watcher "" "$directory" "$grace" <&3 > /dev/null 2>&1 3<&- &

# The session's first process is the leader of its group, so its number is that of the group.
in_own_session sh -c '
  echo $$ > "$1/group.new" && mv "$1/group.new" "$1/group" || exit 126
  shift
  exec "$@"' sh "$directory" "$@" 3<&-
code=$?

# Nothing of the command may go on without the lock.
[ ! -e "$directory/group" ] || finish "$grace"
clean_up
exit "$code"
