# The sections of .ci/run: each has a budget in seconds. A section that takes longer fails, so that a
# check that becomes slow is noticed with the change that made it slow. One that takes more than twice
# as long counts as hung and is ended. CI_SLOWNESS=3 multiplies the budgets, for a busy machine.

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
summary=()
failed=0

# section NAME BUDGET COMMAND...: runs and shows it; with its output kept in $logs/NAME.
section() {
  local name=$1 budget=$(($2 * ${CI_SLOWNESS:-1})); shift 2
  local started=$SECONDS
  echo "=== $name"
  limited "$budget" "$@" </dev/null 2>&1 | tee "$logs/$name"
  report "$name" "$budget" "${PIPESTATUS[0]}" $((SECONDS - started))
}

# together BUDGET NAME=COMMAND...: runs light sections at the same time, and shows them one after the
# other. The budget is for all of them together.
together() {
  local budget=$(($1 * ${CI_SLOWNESS:-1})); shift
  local names=() pids=() started=$SECONDS pair i status
  for pair in "$@"; do
    names+=("${pair%%=*}")
    {
      limited "$budget" bash -c "${pair#*=}"; status=$?
      echo $((SECONDS - started)) >"$logs/${pair%%=*}.seconds"
      exit $status
    } </dev/null >"$logs/${pair%%=*}" 2>&1 &
    pids+=($!)
  done
  for i in "${!names[@]}"; do
    wait "${pids[$i]}"; status=$?
    echo "=== ${names[$i]}"
    cat "$logs/${names[$i]}"
    report "${names[$i]}" "$budget" "$status" "$(cat "$logs/${names[$i]}.seconds")"
  done
}

# limited BUDGET COMMAND...: ends it when it has hung.
limited() {
  local budget=$1; shift
  timeout --kill-after=10 $((2 * budget)) "$@"
}

# whole BUDGET: fails if the sections have taken longer together. The summary has a line for it.
whole() {
  report whole $(($1 * ${CI_SLOWNESS:-1})) 0 "$SECONDS"
}

# report NAME BUDGET STATUS SECONDS
report() {
  local word=ok text=''
  if [ "$4" -gt "$2" ]; then word=SLOW; text=", more than its budget of $2 s"; fi
  # What `timeout` returns, also after it had to kill.
  if [ "$3" -eq 124 ] || [ "$3" -eq 137 ]; then word=HUNG; text=', ended by CI'; fi
  if [ "$word" != HUNG ] && [ "$3" -ne 0 ]; then word=FAILED; fi
  if [ "$word" != ok ]; then failed=1; fi
  summary+=("$(printf '%-6s %-14s %4d s of %4d s' "$word" "$1" "$4" "$2")")
  echo "=== $1: $word after $4 s$text"
  echo
}
