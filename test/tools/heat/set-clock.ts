/** A clock that is set. */
export function setClock(): { now: () => number; at: number } {
  const clock = { at: Date.UTC(2026, 0, 5), now: () => clock.at };
  return clock;
}
