/* The page: what is chosen, and the events that change it. */

const element = (id) => document.getElementById(id);
const data = readData(element('data').textContent);
const metricNames = ['operations', 'reads', 'writes', 'bytes'];
const picture = new Picture(element('picture'));
const state = {
  view: data.tables.length === 0 ? undefined : new View(data.tables[0]),
  metric: 'operations',
  theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
  mark: undefined,
  brush: undefined,
};

function draw() {
  document.documentElement.dataset.theme = state.theme;
  if (state.view === undefined) return;
  const { view, metric, theme, mark, brush } = state;
  const full = picture.draw(view, metric, theme, mark, brush);
  drawLegend(full);
  element('readout').textContent = mark === undefined ? '' : cellText(mark).replaceAll('\n', ' · ');
}

function drawLegend(full) {
  const scale = element('scale');
  const context = scale.getContext('2d');
  const colours = colourTable(state.theme);
  for (let x = 0; x < scale.width; x++) {
    const colour = 3 * Math.floor((255 * x) / (scale.width - 1));
    context.fillStyle = `rgb(${colours.subarray(colour, colour + 3).join(',')})`;
    context.fillRect(x, 0, 1, scale.height);
  }
  element('least').textContent = `${state.metric} of a cell, logarithmic: 1`;
  element('greatest').textContent = `${valueText(state.metric, full)} or more`;
}

/** What is known of a cell, in lines. */
function cellText({ column, bucket }) {
  const { table } = state.view;
  const { start, columnMs, buckets, values } = table;
  const index = column * buckets.length + bucket;
  const range = buckets[bucket];
  const next = buckets[bucket + 1];
  const counts = ['operations', 'reads', 'writes']
    .map((name) => `${numberText(values[name][index])} ${name}`)
    .concat(valueText('bytes', values.bytes[index]));
  const rows = `${numberText(range.rows)} sampled ${range.rows === 1 ? 'row' : 'rows'}`;
  return [
    `${timeText(start + column * columnMs, columnMs)} UTC`,
    `${range.entity === undefined ? '' : `${range.entity}: `}${keyText(range)}`,
    next === undefined ? `to the end (${rows})` : `to ${keyText(next)} (${rows})`,
    counts.join(', '),
  ].join('\n');
}

/** The cell at a place of the canvas: of the ranges in one pixel, that with the greatest value. */
function cellAt({ x, y }) {
  const { plot } = picture;
  const isInside =
    x >= plot.x && x < plot.x + plot.width && y >= plot.y && y < plot.y + plot.height;
  if (!isInside) return undefined;
  const { table, buckets } = state.view;
  const column = Math.floor(picture.columnAt(x));
  const last = Math.max(Math.floor(picture.bucketAt(y)) + 1, Math.ceil(picture.bucketAt(y + 1)));
  let bucket = Math.floor(picture.bucketAt(y));
  const value = (each) => table.values[state.metric][column * table.buckets.length + each];
  for (let each = bucket; each < Math.min(last, buckets[1]); each++)
    if (value(each) > value(bucket)) bucket = each;
  return { column, bucket };
}

function pointOf(event) {
  const { left, top } = picture.canvas.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
}

function showTip(point) {
  const tip = element('tip');
  const cell = state.brush === undefined ? cellAt(point) : undefined;
  tip.hidden = cell === undefined;
  if (cell === undefined) return;
  tip.textContent = cellText(cell);
  const { clientWidth, clientHeight } = element('frame');
  const x =
    point.x + 18 + tip.offsetWidth > clientWidth ? point.x - 18 - tip.offsetWidth : point.x + 18;
  const y = Math.min(point.y + 14, clientHeight - tip.offsetHeight - 4);
  tip.style.left = `${Math.max(0, x)}px`;
  tip.style.top = `${Math.max(0, y)}px`;
}

/** Zooms into what was dragged over: on the keys or the curve only one axis changes. */
function endBrush({ from, to }) {
  const { view } = state;
  const { plot } = picture;
  const moved = Math.abs(from.x - to.x) > 4 || Math.abs(from.y - to.y) > 4;
  if (!moved) return clickAt(to);
  const columns =
    from.x < plot.x ? view.columns : [picture.columnAt(from.x), picture.columnAt(to.x)];
  const buckets =
    from.y < plot.y ? view.buckets : [picture.bucketAt(from.y), picture.bucketAt(to.y)];
  view.show(columns, buckets);
  state.mark = undefined;
}

/** A click marks a cell, or shows only a group of keys. */
function clickAt(point) {
  const { view } = state;
  state.mark = cellAt(point);
  if (point.x >= picture.plot.x || point.y < picture.plot.y) return;
  const level = Math.floor((point.x - 6) / picture.levelWidth);
  const bucket = picture.bucketAt(point.y);
  const box = picture.boxes.find(
    (each) => each.level === level && each.from <= bucket && bucket < each.to,
  );
  if (box !== undefined) view.show(view.columns, [box.from, box.to]);
}

function zoomBy(factor) {
  const { view, mark } = state;
  const middle = ([from, to]) => (from + to) / 2;
  const column = mark === undefined ? middle(view.columns) : mark.column + 0.5;
  const bucket = mark === undefined ? middle(view.buckets) : mark.bucket + 0.5;
  view.zoom(factor, column, bucket);
}

function moveMark(columns, buckets) {
  const { view } = state;
  const from = state.mark ?? { column: view.columns[0], bucket: view.buckets[0] };
  const clamp = (value, count) => Math.max(0, Math.min(count - 1, value));
  const column = clamp(from.column + columns, view.table.columns);
  const bucket = clamp(from.bucket + buckets, view.table.buckets.length);
  state.mark = { column, bucket };
  view.reveal(column, bucket);
}

function setMetric(name) {
  state.metric = name;
  element(`metric-${name}`).checked = true;
}

function onKey(event) {
  const step = event.shiftKey ? 10 : 1;
  const actions = {
    ArrowLeft: () => moveMark(-step, 0),
    ArrowRight: () => moveMark(step, 0),
    ArrowUp: () => moveMark(0, -step),
    ArrowDown: () => moveMark(0, step),
    '+': () => zoomBy(0.5),
    '-': () => zoomBy(2),
    0: () => state.view.reset(),
    Escape: () => (state.mark = undefined),
    m: () => setMetric(metricNames[(metricNames.indexOf(state.metric) + 1) % metricNames.length]),
    t: () => changeTheme(),
  };
  const action = actions[event.key] ?? actions[event.key.toLowerCase()];
  if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  action();
  draw();
}

function changeTheme() {
  state.theme = state.theme === 'dark' ? 'light' : 'dark';
}

function onPointer() {
  const { canvas } = picture;
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    state.brush = { from: pointOf(event), to: pointOf(event) };
  });
  canvas.addEventListener('pointermove', (event) => {
    showTip(pointOf(event));
    if (state.brush === undefined) return;
    state.brush.to = pointOf(event);
    draw();
  });
  canvas.addEventListener('pointerup', () => {
    const { brush } = state;
    state.brush = undefined;
    if (brush !== undefined) endBrush(brush);
    draw();
  });
  canvas.addEventListener('pointercancel', () => {
    state.brush = undefined;
    draw();
  });
  canvas.addEventListener('pointerleave', () => (element('tip').hidden = true));
  canvas.addEventListener('dblclick', () => {
    state.view.reset();
    draw();
  });
  const onWheel = (event) => {
    // Without a key the page scrolls.
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const { x, y } = pointOf(event);
    const factor = event.deltaY + event.deltaX > 0 ? 1.25 : 0.8;
    state.view.zoom(factor, picture.columnAt(x), picture.bucketAt(y));
    draw();
  };
  canvas.addEventListener('wheel', onWheel, { passive: false });
}

function addControls() {
  element('title').textContent = document.title = data.title;
  element('source').textContent = data.source;
  data.tables.forEach(({ table }, index) => element('table').add(new Option(table, index)));
  element('table-choice').hidden = data.tables.length < 2;
  element('table').addEventListener('change', (event) => {
    state.view = new View(data.tables[Number(event.target.value)]);
    state.mark = undefined;
    draw();
  });
  for (const name of metricNames) {
    const label = document.createElement('label');
    const input = Object.assign(document.createElement('input'), {
      type: 'radio',
      name: 'metric',
      id: `metric-${name}`,
      checked: name === state.metric,
    });
    input.addEventListener('change', () => {
      setMetric(name);
      draw();
    });
    label.append(input, ` ${name}`);
    element('metrics').append(label);
  }
  const onClick = (id, action) =>
    element(id).addEventListener('click', () => {
      action();
      draw();
    });
  onClick('zoom-in', () => zoomBy(0.5));
  onClick('zoom-out', () => zoomBy(2));
  onClick('reset', () => state.view.reset());
  onClick('theme', changeTheme);
}

function addFindings() {
  const place = element('findings');
  if (data.findings.length === 0) {
    place.textContent = data.unjudged ?? 'None: no part of the load reaches only few nodes.';
    return;
  }
  const table = document.createElement('table');
  const addRow = (name, cells) => {
    const row = table.insertRow();
    for (const text of cells) {
      const cell = document.createElement(name);
      cell.textContent = text;
      row.append(cell);
    }
    return row;
  };
  addRow('th', ['Level', 'Where', 'What is seen', 'What to change']);
  for (const { level, table: name, entity, segment, problem, fix } of data.findings) {
    const where = segment === undefined ? (entity ?? name) : `${entity ?? name}.\u200b${segment}`;
    addRow('td', [level, where, problem, fix]).cells[0].className = level;
  }
  place.append(table);
}

addControls();
addFindings();
if (state.view !== undefined) {
  onPointer();
  picture.canvas.addEventListener('keydown', onKey);
  addEventListener('resize', draw);
} else {
  element('readout').textContent = 'Nothing was recorded.';
}
draw();
