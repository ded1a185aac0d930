/** The difference of two texts, as `diff -u` shows it. */

/** Lines around a change. */
const context = 3;
/**
 * Above this many differing lines on both sides together no shortest difference is looked for: the
 * whole block is shown as replaced.
 */
const longestSearch = 4_000;

interface Edit {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** Lines `@@`, ` kept`, `-gone`, `+new`; empty when the texts are the same. */
export function textDiff(before: string, after: string): string[] {
  const edits = editsOf(linesOf(before), linesOf(after));
  const shown = new Set<number>();
  edits.forEach(({ mark }, i) => {
    if (mark !== ' ')
      for (
        let near = Math.max(0, i - context);
        near <= Math.min(edits.length - 1, i + context);
        near++
      )
        shown.add(near);
  });
  const lines: string[] = [];
  let [old, now] = [1, 1];
  edits.forEach(({ mark, text }, i) => {
    if (shown.has(i)) {
      if (!shown.has(i - 1)) lines.push(`@@ -${old} +${now} @@`);
      lines.push(`${mark}${text}`);
    }
    if (mark !== '+') old++;
    if (mark !== '-') now++;
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

/** By the longest common subsequence. */
function middle(before: readonly string[], after: readonly string[]): Edit[] {
  const gone = (text: string): Edit => ({ mark: '-', text });
  const fresh = (text: string): Edit => ({ mark: '+', text });
  if (before.length === 0 || after.length === 0 || before.length + after.length > longestSearch)
    return [...before.map(gone), ...after.map(fresh)];
  const width = after.length + 1;
  const common = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] =
        before[i] === after[j]
          ? common[(i + 1) * width + j + 1] + 1
          : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
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
      edits.push(gone(before[i++]));
    else edits.push(fresh(after[j++]));
  }
  return edits;
}
