/* The axis of keys: ranges are grouped by entity and by the values of leading segments. */

export const axisLevels = 3;
export const minLabelHeight = 15;

/** The names of a range at each level: its entity (if there are several), then its segments. */
function pathOf(bucket, hasEntities) {
  const values = bucket.segments.map(([, value]) => value);
  const path = bucket.segments.length === 0 ? [bucket.key] : values;
  return hasEntities ? [bucket.entity ?? 'other keys', ...path] : path;
}

/** Whether two ranges have the same names above a level. */
function sameUpTo(level, a, b) {
  return a.slice(0, level).join('\0') === b.slice(0, level).join('\0');
}

/**
 * The boxes of the axis for the ranges from `first` to before `last`. Neighbours with the same
 * names up to a level are one box; those too small for a label are drawn together.
 */
export function axisBoxes(table, first, last, heightOf) {
  const hasEntities = new Set(table.buckets.map(({ entity }) => entity)).size > 1;
  const paths = table.buckets.slice(first, last).map((each) => pathOf(each, hasEntities));
  const isNamed = (bucket) => table.buckets[bucket].entity !== undefined;
  const boxes = [];
  // Ranges whose names are drawn together at a level: further ones would not tell them apart.
  const merged = new Set();
  for (let level = 0; level < axisLevels; level++) {
    const same = (a, b) => sameUpTo(level + 1, a, b);
    let open;
    for (let from = 0; from < paths.length;) {
      let to = from + 1;
      while (to < paths.length && same(paths[from], paths[to])) to++;
      const box = { level, from: first + from, to: first + to, names: 1 };
      box.label = box.end = paths[from][level];
      const isSmall = heightOf(box.from, box.to) < minLabelHeight;
      if (merged.has(box.from) || box.label === undefined) open = undefined;
      else if (
        open !== undefined &&
        isSmall &&
        // Keys of no entity are not named together with an entity.
        (!hasEntities || level > 0 || isNamed(open.from) === isNamed(box.from)) &&
        sameUpTo(level, paths[open.from - first], paths[from]) &&
        heightOf(open.from, open.to) < 2.4 * minLabelHeight
      ) {
        open.to = box.to;
        open.end = box.label;
        open.names++;
      } else {
        open = box;
        boxes.push(box);
        if (!isSmall) open = undefined;
      }
      from = to;
    }
    for (const box of boxes)
      if (box.level === level && box.names > 1)
        for (let bucket = box.from; bucket < box.to; bucket++) merged.add(bucket);
  }
  return boxes;
}

/** `a`, or `a … d` for names that are drawn together; what `d` has in common is left out. */
export function boxText({ label, end, names }) {
  const [first, last] = [shortTime(label), shortTime(end)];
  if (names === 1 || first === last) return first;
  let shared = 0;
  while (shared < first.length && first[shared] === last[shared]) shared++;
  while (shared > 0 && /[A-Za-z0-9]/.test(last[shared - 1])) shared--;
  return `${first} … ${last.slice(shared)}`;
}

/** Times to the second: `2026-01-05 00:09:47`. */
export function shortTime(text) {
  const time = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(text);
  return time === null ? text : `${time[1]} ${time[2]}`;
}

/** The heading of each level. */
export function axisNames(table) {
  const entities = [...new Set(table.buckets.flatMap(({ entity }) => entity ?? []))];
  const segments = Array.from({ length: axisLevels }, (_, level) => {
    const names = table.buckets.map((bucket) => bucket.segments[level]?.[0]);
    return [...new Set(names.filter((name) => name !== undefined))].join(' / ');
  }).filter((name) => name !== '');
  if (segments.length === 0) segments.push('key');
  const hasEntities = new Set(table.buckets.map(({ entity }) => entity)).size > 1;
  return hasEntities && entities.length > 0 ? ['entity', ...segments] : segments;
}
