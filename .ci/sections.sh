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
  shown "$name" "$budget" "$@"
  report "$name" "$budget" $? $((SECONDS - started))
}

# suites NAME BUDGET COMMAND...: a section with test suites. The command writes those that failed to the
# file FAILED_SUITES, and runs once more, alone, with these in the file ONLY_SUITES. Suites that pass then
# are FLAKY. The budget is for the first run, and the second one has as much.
suites() {
  local name=$1 budget=$(($2 * ${CI_SLOWNESS:-1})); shift 2
  local started=$SECONDS file=$logs/$name.suites status seconds
  echo "=== $name"
  FAILED_SUITES=$file shown "$name" "$budget" "$@"; status=$?
  seconds=$((SECONDS - started))
  if [ "$status" -ne 0 ] && ! hung "$status" && [ -s "$file" ]; then
    echo "=== $name: once more, alone: $(grep -v '^#' "$file" | paste -sd ' ')"
    ONLY_SUITES=$file shown "$name" "$budget" "$@"; status=$?
    if [ "$status" -eq 0 ]; then sed '/^#/d; s/^/FLAKY /' "$file" >>"$logs/$name"; fi
  fi
  report "$name" "$budget" "$status" "$seconds"
}

# shown NAME BUDGET COMMAND...: its output is shown, and kept after what the section has printed before.
shown() {
  local name=$1; shift
  limited "$@" </dev/null 2>&1 | tee -a "$logs/$name"
  return "${PIPESTATUS[0]}"
}

# hung STATUS: what `timeout` returns, also after it had to kill.
hung() {
  [ "$1" -eq 124 ] || [ "$1" -eq 137 ]
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

# report NAME BUDGET STATUS SECONDS: a line of the summary. What the log calls FLAKY has failed and then
# passed: the section has passed, and the line names it.
report() {
  local word=ok text='' flaky
  flaky=$(sed -n 's/^FLAKY *//p' "$logs/$1" 2>/dev/null | paste -sd ',')
  if [ -n "$flaky" ]; then word=FLAKY; text=", failed once: $flaky"; fi
  if [ "$4" -gt "$2" ]; then word=SLOW; text+=", more than its budget of $2 s"; fi
  if [ "$3" -ne 0 ]; then word=FAILED; fi
  if hung "$3"; then word=HUNG; text=', ended by CI'; fi
  case $word in ok | FLAKY) ;; *) failed=1 ;; esac
  summary+=("$(printf '%-6s %-14s %4d s of %4d s%s' "$word" "$1" "$4" "$2" "${flaky:+  FLAKY: $flaky}")")
  echo "=== $1: $word after $4 s$text"
  echo
}
