# Runs a command in a session of its own, and ends it when boltwork asks for it or has died.
#
#   sh -c SCRIPT boltwork-supervisor SCRIPT DIRECTORY PIPE GRACE COMMAND [ARGUMENT ...]
#   sh -c SCRIPT boltwork-supervisor SCRIPT DIRECTORY PIPE "" [ARGUMENT OF BOLTWORK ...]
#   sh -c SCRIPT boltwork-watcher "" DIRECTORY PIPE GRACE
#
# SCRIPT is this text, GRACE a time in seconds. DIRECTORY has the named pipe "pipe", which boltwork holds open. A line
# in it is the name of a signal for the command's process group, or "END SECONDS": TERM, and KILL after that time. The
# end of the pipe means END with the grace: the system closes it when boltwork dies, however it dies. PIPE is a
# descriptor that the command does not need. The exit code is that of the command.
#
# Java closes the descriptors above 2 in its children. In the second form, the launcher starts the supervisor before
# Java, so that the command gets these descriptors. The supervisor waits for a line in the pipe. The file "start" then
# sets and removes variables for the command, sets the grace, and removes the arguments before the command. The file
# "code" gets the exit code.
#
# The supervisor waits for the command, and the watcher reads the pipe. The watcher has a session of its own, so that a
# KILL for the group of boltwork leaves it. If the supervisor is killed, the watcher still ends the command when
# boltwork closes the pipe. The file "group" tells boltwork that there may be a command: it exists from before the
# command's first instruction until nothing is left of its group.

set -u
script=$1
directory=$2
pipe=$3
grace=$4
shift 4
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

# Sends KILL to the command's group after a time, in one sleep: many short ones take longer on a busy machine. USR1
# cancels it.
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
      CLOSE) break ;;
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

# Opened for writing first, because opening a pipe that nobody writes would wait for ever if boltwork has died
# meanwhile.
eval "exec $pipe<> \"\$directory/pipe\""
eval "exec $pipe< \"\$directory/pipe\""

# They reach the command through the pipe, except QUIT and TSTP. A trap, because the command would inherit that a signal
# is ignored.
trap : $signals

code_file=/dev/null
if [ -z "$grace" ]; then
  # boltwork ends without a command if the lock is taken, for example
  read -r order <&"$pipe" || { clean_up; exit 0; }
  . "$directory/start"
  rm -f "$directory/start"
  code_file=$directory/code
fi

# systemd passes sockets to this process only.
[ "${LISTEN_PID-}" != "$PPID" ] || export LISTEN_PID=command
unset LISTEN_PIDFDID

# A job in the background must not take the input of its shell.
if [ -t 0 ] && [ "$(ps -o pgid= -p $$ 2> /dev/null)" -ne "$(ps -o tpgid= -p $$ 2> /dev/null)" ] 2> /dev/null; then
  exec < /dev/null
fi

# It must not hold the command's output open.
close="$pipe<&-"
eval 'in_own_session sh -c "$script" boltwork-watcher "" "$directory" "$pipe" "$grace" <&"$pipe" > /dev/null 2>&1' \
  "$close &"

# The session's first process is the leader of its group, so its number is that of the group.
begin='
  echo $$ > "$1/group.new" && mv "$1/group.new" "$1/group" || exit 126
  [ "${LISTEN_PID-}" != command ] || export LISTEN_PID=$$
  shift
  case $1 in
    */*) [ -e "$1" ] ;;
    *) command -v -- "$1" > /dev/null ;;
  esac || { printf "boltwork: the command was not found: %s\n" "$1" >&2; exit 127; }
  case $1 in
    */*) [ ! -d "$1" ] && [ -x "$1" ] ;;
  esac || { printf "boltwork: the command cannot be executed: %s\n" "$1" >&2; exit 126; }
  exec "$@"'
eval 'in_own_session sh -c "$begin" boltwork "$directory" "$@"' "$close"
code=$?
! kill -0 "$PPID" 2> /dev/null || echo "$code" > "$code_file"

# Nothing of the command may go on without the lock.
[ ! -e "$directory/group" ] || finish "$grace"
clean_up
exit "$code"
