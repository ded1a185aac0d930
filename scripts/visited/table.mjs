/** What `visited` prints: functions and files of each call by layer, or the functions of one. */

/** @typedef {{ name: string, files: import('./coverage.mjs').VisitedFile[] }} VisitedCall */
/** @typedef {import('../../src/cli/terminal/style.js').Style} Style */

/** The layers that calls pass: the upper half, what both halves share, and the lower half. */
const groups = {
  entities: [
    'entities/repository',
    'entities/derived',
    'entities/mapping',
    'entities/query',
    'entities/model',
    'engines/observe',
    'tools/heat',
    'data/key',
    'data/cell',
  ],
  shared: ['data/store', 'base'],
  storage: ['engines', 'engines/local', 'engines/bigtable', 'engines/protocol'],
};

/** The layer of a source in ARCHITECTURE.md. @param {string} path */
export function layerOf(path) {
  const [, group, layer, ...rest] = path.split('/');
  if (rest.length > 0 && group !== 'base') return `${group}/${layer}`;
  return group.replace(/\.ts$/, '');
}

/** Functions and files by layer. @param {readonly VisitedCall[]} calls @param {Style} style */
export function tableOf(calls, style) {
  const visited = new Set(calls.flatMap(({ files }) => files.map(({ path }) => layerOf(path))));
  const known = Object.values(groups).flat();
  for (const layer of visited)
    if (!known.includes(layer)) throw new Error(`the layer ${layer} is in no group`);

  /** @param {string} name @param {readonly string[]} layers */
  const row = (name, layers) => [name, ...calls.map((call) => figuresOf(call, layers))];
  /** @type {{ cells: string[], isTotal: boolean }[]} */
  const rows = [];
  for (const [group, layers] of Object.entries(groups)) {
    rows.push({ cells: row(group, layers), isTotal: true });
    for (const layer of layers.filter((each) => visited.has(each)))
      rows.push({ cells: row(`  ${layer}`, [layer]), isTotal: false });
  }
  rows.push({ cells: row('all', known), isTotal: true });

  const heading = ['functions / files', ...calls.map(({ name }) => name)];
  const widths = heading.map((name, i) =>
    Math.max(name.length, ...rows.map(({ cells }) => cells[i].length)),
  );
  /** @param {readonly string[]} cells */
  const line = (cells) =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join('  ');
  return [
    style.dim(line(heading)),
    ...rows.map(({ cells, isTotal }) => (isTotal ? style.bold(line(cells)) : line(cells))),
  ].join('\n');
}

/** @param {VisitedCall} call @param {readonly string[]} layers */
function figuresOf({ files }, layers) {
  const inLayers = files.filter(({ path }) => layers.includes(layerOf(path)));
  if (inLayers.length === 0) return '-';
  const functions = inLayers.reduce((sum, { functions }) => sum + functions.length, 0);
  return `${functions} / ${inLayers.length}`;
}

/** The functions of one call, with how often they ran. @param {VisitedCall} call @param {Style} style */
export function listOf({ files }, style) {
  return files
    .map(({ path, functions }) => {
      const names = functions.map(({ name, calls }) => (calls > 1 ? `${name} x${calls}` : name));
      return `${style.bold(path)}\n  ${names.join(', ')}`;
    })
    .join('\n');
}
