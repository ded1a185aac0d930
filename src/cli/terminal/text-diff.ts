/** The difference of two texts in the form of `diff -u`. */

/** Unchanged lines shown before and after a change. */
const contextLines = 3;
/**
 * Differing lines of both texts together. Above this the shortest difference is not computed: the
 * whole block is shown as replaced.
 */
const maxSearchedLines = 4_000;

interface Edit {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** Lines `@@`, ` kept`, `-removed`, `+added`; empty if the texts are equal. */
export function textDiff(before: string, after: string): string[] {
  const edits = editsOf(linesOf(before), linesOf(after));
  const shown = new Set<number>();
  edits.forEach(({ mark }, i) => {
    if (mark === ' ') return;
    const last = Math.min(edits.length - 1, i + contextLines);
    for (let near = Math.max(0, i - contextLines); near <= last; near++) shown.add(near);
  });
  const lines: string[] = [];
  let [oldLine, newLine] = [1, 1];
  edits.forEach(({ mark, text }, i) => {
    if (shown.has(i)) {
      if (!shown.has(i - 1)) lines.push(`@@ -${oldLine} +${newLine} @@`);
      lines.push(`${mark}${text}`);
    }
    if (mark !== '+') oldLine++;
    if (mark !== '-') newLine++;
  });
  return lines;
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines[lines.length - 1] += ' (no line break at the end)';
  return lines;
}

function editsOf(before: readonly string[], after: readonly string[]): Edit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const keep = (lines: readonly string[]): Edit[] => lines.map((text) => ({ mark: ' ', text }));
  return [
    ...keep(before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...keep(before.slice(before.length - end)),
  ];
}

/** The edits of texts with different first and last lines, by their longest common subsequence. */
function middle(before: readonly string[], after: readonly string[]): Edit[] {
  const removed = (text: string): Edit => ({ mark: '-', text });
  const added = (text: string): Edit => ({ mark: '+', text });
  if (before.length === 0 || after.length === 0 || before.length + after.length > maxSearchedLines)
    return [...before.map(removed), ...after.map(added)];
  const width = after.length + 1;
  const common = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const at = i * width + j;
      if (before[i] === after[j]) common[at] = common[at + width + 1] + 1;
      else common[at] = Math.max(common[at + width], common[at + 1]);
    }
  }
  const edits: Edit[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      edits.push({ mark: ' ', text: before[i] });
      i++;
      j++;
    } else if (
      j >= after.length ||
      (i < before.length && common[(i + 1) * width + j] >= common[i * width + j + 1])
    )
      edits.push(removed(before[i++]));
    else edits.push(added(after[j++]));
  }
  return edits;
}
