/** What a process does when the reader of its output has gone, as `head` does. */

let finishes = false;

/** From now on the process goes on to its end: it has to clean up. */
export function finishWithoutReader(): void {
  finishes = true;
}

/** Whether nobody needs the rest of the run: it only prints. */
export function endsWithReader(): boolean {
  return !finishes;
}
