/*
 * Heat maps with their findings, in an element of a page. `readData` gives the data; nothing here
 * knows where they come from.
 */
import { colourTable } from './colours.js';
import { controlsOf } from './controls.js';
import { cellText } from './data.js';
import { element } from './elements.js';
import { findingList } from './findings.js';
import { helpDialog } from './help.js';
import { addKeys } from './keys.js';
import { valueText } from './numbers.js';
import { Picture } from './picture.js';
import { addPointer } from './pointer.js';
import { allTotals } from './totals.js';
import { View } from './view.js';

const maxBrightness = 8;

/** Shows the data in an element. The theme is an attribute of the document or the shadow host. */
export function mountHeatMap(root, data) {
  return new HeatMapPage(root, data);
}

class HeatMapPage {
  constructor(root, data) {
    this.data = data;
    this.themed = root.getRootNode().host ?? document.documentElement;
    this.state = {
      view: data.maps.length === 0 ? undefined : new View(data.maps[0]),
      metric: 'operations',
      theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
      brightness: 0,
      cell: undefined,
      brush: undefined,
      finding: undefined,
    };
    this.addParts(root);
    addKeys(this);
    if (this.state.view === undefined) this.readout.textContent = 'Nothing was recorded.';
    else addPointer(this);
    addEventListener('resize', () => this.draw());
    this.draw();
  }

  addParts(root) {
    const canvas = element('canvas', {
      className: 'picture',
      tabIndex: 0,
      role: 'img',
      'aria-label': 'Heat map: ranges of keys from top to bottom, time from left to right',
      'aria-describedby': 'readout',
    });
    this.picture = new Picture(canvas);
    this.tip = element('div', { className: 'tip', hidden: true });
    this.scale = element('canvas', { className: 'scale', width: 200, height: 12 });
    this.least = element('span');
    this.greatest = element('span');
    this.readout = element('output', { id: 'readout', 'aria-live': 'polite' });
    this.controls = controlsOf(this);
    this.help = helpDialog();
    this.list = findingList(this.data.maps, (map, finding) => this.chooseFinding(map, finding));
    this.about = element('p', { className: 'about' });
    root.append(
      ...headerOf(this.data),
      this.controls.root,
      this.about,
      element(
        'figure',
        {},
        element('div', { className: 'frame' }, canvas, this.tip),
        element(
          'figcaption',
          {},
          element('span', { className: 'legend' }, this.least, this.scale, this.greatest),
          this.readout,
        ),
      ),
      element('h2', { textContent: 'Findings' }),
      this.list.root,
      this.help,
    );
  }

  draw() {
    const { state } = this;
    const { view, metric, cell, finding } = state;
    this.themed.dataset.theme = state.theme;
    this.controls.show(state);
    if (view === undefined) return;
    this.list.show(view.map, finding);
    this.about.textContent = view.map.about ?? '';
    this.about.hidden = view.map.about === undefined;
    const full = this.picture.draw(state);
    const { canvas } = this.picture;
    canvas.dataset.view = [...view.columns, ...view.buckets].join();
    this.drawLegend(full, metric);
    this.readout.textContent = cell === undefined ? (finding?.problem ?? '') : this.cellLine(cell);
  }

  drawLegend(full, metric) {
    const { scale } = this;
    const context = scale.getContext('2d');
    const colours = colourTable(this.state.theme);
    for (let x = 0; x < scale.width; x++) {
      const colour = 3 * Math.floor((255 * x) / (scale.width - 1));
      context.fillStyle = `rgb(${colours.subarray(colour, colour + 3).join(',')})`;
      context.fillRect(x, 0, 1, scale.height);
    }
    this.least.textContent = `${metric} of a cell, logarithmic: 1`;
    this.greatest.textContent = `${valueText(metric, full)} or more`;
  }

  /** What is known of a cell, in lines. */
  cellText(cell) {
    const { map } = this.state.view;
    if (this.totalsOf !== map) this.totals = allTotals(map, 'operations');
    this.totalsOf = map;
    return cellText(map, cell, this.totals);
  }

  cellLine(cell) {
    return this.cellText(cell).replaceAll('\n', ' · ');
  }

  /** Shows a map, without its findings marked. */
  chooseMap(index) {
    const map = this.data.maps[index];
    if (map === undefined) return;
    this.state.view = new View(map);
    this.state.cell = this.state.finding = undefined;
    this.draw();
  }

  /** Marks a finding in the picture, or no longer. */
  chooseFinding(map, finding) {
    const { state } = this;
    if (state.view.map !== map) state.view = new View(map);
    state.view.reset();
    state.cell = undefined;
    state.finding = state.finding === finding ? undefined : finding;
    this.draw();
    this.picture.canvas.scrollIntoView({ block: 'nearest' });
  }

  /** The finding after the chosen one, or before it. */
  stepFinding(step) {
    const all = this.data.maps.flatMap((map) => map.findings.map((finding) => ({ map, finding })));
    if (all.length === 0) return;
    const { view, finding: chosen } = this.state;
    const at = all.findIndex(({ finding }) => finding === chosen);
    const own = all.findIndex(({ map }) => map === view.map);
    const next = at === -1 ? Math.max(0, own) : (at + step + all.length) % all.length;
    if (next !== at) this.chooseFinding(all[next].map, all[next].finding);
  }

  setMetric(name) {
    this.state.metric = name;
    this.draw();
  }

  setBrightness(brightness) {
    this.state.brightness = Math.max(-maxBrightness, Math.min(maxBrightness, brightness));
    this.draw();
  }

  changeTheme() {
    this.state.theme = this.state.theme === 'dark' ? 'light' : 'dark';
    this.draw();
  }

  showAll() {
    this.state.view.reset();
    this.draw();
  }

  /** Zooms around the chosen cell, or the middle. */
  zoomBy(factor) {
    const { view, cell } = this.state;
    const middle = ([from, to]) => (from + to) / 2;
    const column = cell === undefined ? middle(view.columns) : cell.column + 0.5;
    const bucket = cell === undefined ? middle(view.buckets) : cell.bucket + 0.5;
    view.zoom(factor, column, bucket);
    this.draw();
  }

  moveCell(columns, buckets) {
    const { view } = this.state;
    const from = this.state.cell ?? { column: view.columns[0], bucket: view.buckets[0] };
    const clamp = (value, count) => Math.max(0, Math.min(count - 1, value));
    const column = clamp(from.column + columns, view.map.columns);
    const bucket = clamp(from.bucket + buckets, view.map.buckets.length);
    this.state.cell = { column, bucket };
    view.reveal(column, bucket);
    this.draw();
  }
}

function headerOf({ title, source, conclusion }) {
  const header = element(
    'header',
    {},
    element('h1', { textContent: title }),
    element('p', { className: 'source', textContent: source }),
  );
  if (conclusion === undefined) return [header];
  const [first, ...others] = conclusion.reasons;
  const lines = (texts) =>
    element('ul', {}, ...texts.map((text) => element('li', { textContent: text })));
  const parts = [element('h2', { textContent: `Recommendation: ${conclusion.verdict}` })];
  if (first !== undefined) parts.push(element('p', { textContent: first }));
  if (others.length > 0) parts.push(lines(others));
  return [header, element('section', { className: 'conclusion' }, ...parts)];
}
