/** What a misspelt name in an error message is answered with. */
import { nearestName } from '../base/index.js';

/** `did you mean 'check'?`, or every known name after `list`: `the commands are init, pull`. */
export function suggestion(name: string, known: readonly string[], list: string): string {
  const near = nearestName(name, known);
  if (near === undefined) return `${list} ${known.join(', ')}`;
  return `did you mean '${near}'?`;
}
