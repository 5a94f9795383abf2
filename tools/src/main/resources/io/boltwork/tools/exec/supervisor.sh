# Runs a command in a session of its own, and ends it when boltwork asks for it or has died.
#
#   sh -c SCRIPT boltwork-supervisor SCRIPT DIRECTORY TICKS COMMAND [ARGUMENT ...]
#   sh -c SCRIPT boltwork-watcher "" DIRECTORY TICKS
#
# SCRIPT is this text, TICKS the grace in steps of 50 ms. DIRECTORY has the named pipe "pipe", which boltwork holds open. A line
# in it is the name of a signal for the command's process group, or END: TERM, and KILL after the grace. The end of the pipe
# means END, too: the system closes it when boltwork dies, however it dies. The exit code is that of the command.
#
# The supervisor waits for the command, and the watcher reads the pipe. The watcher has a session of its own, so that a KILL for
# the group of boltwork leaves it. If the supervisor is killed, the watcher still ends the command when boltwork closes the
# pipe. The file "group" tells boltwork that there may be a command: it exists from before the command's first instruction
# until nothing is left of its group.

set -u
script=$1
directory=$2
ticks=$3
shift 3

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
  kill -s "$1" -- "-$(cat "$directory/group" 2> /dev/null)" 2> /dev/null
}

# Sends TERM to the command's group, and KILL to what is left of it after the grace. A stopped process acts on TERM when it
# continues.
finish() {
  send TERM || return 0
  send CONT
  while [ "$ticks" -gt 0 ]; do
    sleep 0.05
    send 0 || return 0
    ticks=$((ticks - 1))
  done
  send KILL
}

clean_up() {
  rm -f "$directory/group" "$directory/pipe"
  rmdir "$directory" 2> /dev/null
}

if [ -z "$script" ]; then
  trap '' INT TERM HUP USR1
  while read -r order; do
    case $order in
      END) finish & ;;
      *) send "$order" ;;
    esac
  done
  finish
  clean_up
  exit 0
fi

# Opened for writing first, because opening a pipe that nobody writes would wait for ever if boltwork has died meanwhile.
exec 4<> "$directory/pipe" 3< "$directory/pipe" 4>&-

# They reach the command through the pipe. A trap, because the command would inherit that a signal is ignored.
trap : INT TERM HUP USR1

# A job in the background must not take the input of its shell.
if [ -t 0 ] && [ "$(ps -o pgid= -p $$ 2> /dev/null)" -ne "$(ps -o tpgid= -p $$ 2> /dev/null)" ] 2> /dev/null; then
  exec < /dev/null
fi

# It must not hold the command's output open.
in_own_session sh -c "$script" boltwork-watcher "" "$directory" "$ticks" <&3 > /dev/null 2>&1 3<&- &

# The session's first process is the leader of its group, so its number is that of the group.
in_own_session sh -c '
  echo $$ > "$1/group.new" && mv "$1/group.new" "$1/group" || exit 126
  shift
  exec "$@"' sh "$directory" "$@" 3<&-
code=$?

# Nothing of the command may go on without the lock.
[ ! -e "$directory/group" ] || finish
clean_up
exit "$code"
