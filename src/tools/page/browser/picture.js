/*
 * Draws a view: the axis of keys, the heat map with the totals of both axes, and the axis of time.
 */
import { axisBoxes, axisLevels, axisNames, boxText, minLabelHeight, shortTime } from './axis.js';
import { colourTable, fullValue, levelOf } from './colours.js';
import { amountText, intervalText, timeText, valueText } from './numbers.js';
import { edgeAt, keyEdges, placeAt } from './scale.js';
import { greatestOf, rangesToEnlarge, totalsOf } from './totals.js';

/** Pixels below which the names of a level are cut too much. */
const minLevelWidth = 75;
const margin = { left: 330, top: 74, right: 118, bottom: 26 };
/** Pixels of the least mark of a finding. */
const minMark = 6;

const [second, minute, hour, day] = [1000, 60000, 3600000, 86400000];
/** Distances of times on the axis that are easy to read, in milliseconds. */
const tickSteps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 28, 91, 364].map((count) => count * day),
];

/** The least of them that is no shorter than `millis` and an interval. */
export function tickStep(millis, columnMs) {
  const least = Math.max(millis, columnMs);
  return tickSteps.find((step) => step >= least) ?? least;
}

export class Picture {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.layer = document.createElement('canvas');
  }

  /** Sizes in CSS pixels. */
  layout() {
    const { clientWidth, clientHeight } = this.canvas;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(clientWidth * ratio);
    this.canvas.height = Math.round(clientHeight * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const left = Math.min(margin.left, Math.round(clientWidth * 0.36));
    const right = clientWidth < 600 ? 12 : margin.right;
    this.maxLevels = Math.max(1, Math.min(axisLevels, Math.floor(left / minLevelWidth)));
    this.plot = {
      x: left,
      y: margin.top,
      width: clientWidth - left - right,
      height: clientHeight - margin.top - margin.bottom,
    };
  }

  x(column) {
    const [from, to] = this.view.columns;
    return this.plot.x + ((column - from) / (to - from)) * this.plot.width;
  }

  y(bucket) {
    return this.plot.y + edgeAt(this.edges, bucket - this.view.buckets[0]);
  }

  columnAt(x) {
    const [from, to] = this.view.columns;
    return from + ((x - this.plot.x) / this.plot.width) * (to - from);
  }

  bucketAt(y) {
    return this.view.buckets[0] + placeAt(this.edges, y - this.plot.y);
  }

  /** Draws what is chosen; returns the value that has the last colour. */
  draw({ view, metric, theme, brightness, cell, brush, finding }) {
    this.view = view;
    this.layout();
    if (this.enlargedOf !== view.map) this.enlarged = rangesToEnlarge(view.map);
    this.enlargedOf = view.map;
    this.edges = keyEdges(view.buckets, this.plot.height, this.enlarged);
    this.totals = totalsOf(view.map, metric, view.columns, view.buckets);
    // The colours of the document, or of the shadow root that the picture is in.
    const style = getComputedStyle(this.context.canvas);
    this.colour = (name) => style.getPropertyValue(`--${name}`).trim();
    this.context.font = '12px system-ui, sans-serif';
    this.context.textBaseline = 'middle';
    const full = fullValue(view.map, metric, brightness);
    this.drawCells(view.map.values[metric], full, theme);
    this.drawLoad(metric);
    this.drawKeyTotals(metric);
    this.drawKeys();
    this.drawTimes();
    this.drawRows(finding);
    if (finding !== undefined) for (const mark of finding.marks) this.drawMark(mark);
    if (cell !== undefined) this.drawCell(cell);
    if (brush !== undefined) this.drawBrush(brush);
    return full;
  }

  /** Each pixel has the greatest value of the ranges it stands for, so that thin lines remain. */
  drawCells(values, full, theme) {
    const { view, plot, layer } = this;
    const count = view.map.buckets.length;
    const [firstColumn, lastColumn] = view.columns;
    const [firstBucket, lastBucket] = view.buckets;
    const height = Math.max(1, Math.round(plot.height));
    layer.width = lastColumn - firstColumn;
    layer.height = height;
    const shown = new Float64Array(layer.width * height);
    for (let bucket = firstBucket; bucket < lastBucket; bucket++) {
      const [top, bottom] = this.pixelsOf(bucket);
      for (let column = firstColumn; column < lastColumn; column++) {
        const value = values[column * count + bucket];
        if (value === 0) continue;
        for (let row = top; row < bottom; row++) {
          const pixel = row * layer.width + column - firstColumn;
          if (value > shown[pixel]) shown[pixel] = value;
        }
      }
    }
    const context = layer.getContext('2d');
    const image = context.createImageData(layer.width, height);
    const colours = colourTable(theme);
    for (let pixel = 0; pixel < shown.length; pixel++) {
      if (shown[pixel] === 0) continue;
      const colour = 3 * levelOf(shown[pixel], full);
      image.data.set(colours.subarray(colour, colour + 3), 4 * pixel);
      image.data[4 * pixel + 3] = 255;
    }
    context.putImageData(image, 0, 0);
    this.context.imageSmoothingEnabled = false;
    this.context.drawImage(layer, plot.x, plot.y, plot.width, plot.height);
    this.context.strokeStyle = this.colour('line');
    this.context.strokeRect(plot.x - 0.5, plot.y - 0.5, plot.width + 1, plot.height + 1);
  }

  /** The rows of pixels of a range, from the top of the plot; at least one. */
  pixelsOf(bucket) {
    const i = bucket - this.view.buckets[0];
    const last = Math.round(this.plot.height) - 1;
    const top = Math.min(last, Math.floor(this.edges[i]));
    return [top, Math.max(top + 1, Math.round(this.edges[i + 1]))];
  }

  /** The sum of each column, above the map. */
  drawLoad(metric) {
    const { context, plot, view } = this;
    const [first, last] = view.columns;
    const sums = this.totals.columns.slice(first, last);
    const greatest = Math.max(1, greatestOf(sums));
    const height = plot.y - 34;
    context.fillStyle = this.colour('accent');
    sums.forEach((sum, index) => {
      const bar = (sum / greatest) * height;
      const x = this.x(first + index);
      const width = Math.max(1, this.x(first + index + 1) - x - (sums.length < 200 ? 1 : 0));
      context.fillRect(x, plot.y - 6 - bar, width, bar);
    });
    context.fillStyle = this.colour('soft');
    context.textAlign = 'left';
    const most = amountText(metric, greatest);
    const text = `Load: at most ${most} in ${intervalText(view.map.columnMs)}`;
    context.fillText(this.fitted(text, plot.width), plot.x, 12);
  }

  /** The sum of each range, beside the map. */
  drawKeyTotals(metric) {
    const { context, plot, view, totals } = this;
    const width = this.canvas.clientWidth - plot.x - plot.width - 14;
    if (width < 40) return;
    const greatest = Math.max(1, greatestOf(totals.keys));
    const x = plot.x + plot.width + 6;
    context.fillStyle = this.colour('accent');
    const lengths = new Float64Array(Math.round(plot.height));
    for (let bucket = view.buckets[0]; bucket < view.buckets[1]; bucket++) {
      const [top, bottom] = this.pixelsOf(bucket);
      for (let row = top; row < bottom; row++)
        lengths[row] = Math.max(lengths[row], totals.keys[bucket] / greatest);
    }
    lengths.forEach((share, row) => {
      if (share > 0) context.fillRect(x, plot.y + row, Math.max(1, share * width), 1);
    });
    context.fillStyle = this.colour('soft');
    context.textAlign = 'left';
    context.fillText(this.fitted('Keys: at most', width + 8), x, plot.y - 28);
    context.fillText(this.fitted(valueText(metric, greatest), width + 8), x, plot.y - 12);
  }

  drawKeys() {
    const { context, plot, view } = this;
    const heightOf = (from, to) => this.y(to) - this.y(from);
    this.boxes = axisBoxes(view.map, ...view.buckets, heightOf).filter(
      ({ level }) => level < this.maxLevels,
    );
    this.levels = 1 + Math.max(...this.boxes.map(({ level }) => level));
    this.levelWidth = (plot.x - 12) / this.levels;
    const width = this.levelWidth - 2;
    context.textAlign = 'left';
    for (const box of this.boxes) {
      const x = 6 + box.level * this.levelWidth;
      const height = heightOf(box.from, box.to);
      context.fillStyle = this.colour('group');
      context.fillRect(x, this.y(box.from) + 0.5, width, Math.max(1, height - 1));
      if (height < minLabelHeight - 2) continue;
      context.fillStyle = this.colour('ink');
      const whole = boxText(box);
      const fits = context.measureText(whole).width <= width - 8;
      const text = fits ? whole : this.fitted(shortTime(box.label), width - 8);
      context.fillText(text, x + 4, this.y((box.from + box.to) / 2));
    }
    context.fillStyle = this.colour('soft');
    axisNames(view.map)
      .slice(0, this.levels)
      .forEach((name, level) =>
        context.fillText(this.fitted(name, width - 8), 10 + level * this.levelWidth, plot.y - 12),
      );
  }

  /** The text, cut in the middle if it is wider: both ends of a key tell keys apart. */
  fitted(text, width) {
    if (this.context.measureText(text).width <= width) return text;
    for (let kept = text.length - 1; kept > 2; kept--) {
      const start = Math.ceil(kept * 0.5);
      const short = `${text.slice(0, start)}…${text.slice(text.length - (kept - start))}`;
      if (this.context.measureText(short).width <= width) return short;
    }
    return '…';
  }

  /** Marks at round times; the date is shown where it changes. */
  drawTimes() {
    const { context, plot, view } = this;
    const { start, columnMs } = view.map;
    const y = plot.y + plot.height;
    const [first, last] = view.columns.map((column) => start + column * columnMs);
    const step = tickStep((last - first) / Math.max(1, Math.floor(plot.width / 90)), columnMs);
    context.fillStyle = this.colour('soft');
    context.textAlign = 'right';
    context.fillText('UTC', plot.x + plot.width, y + 13);
    context.textAlign = 'left';
    let free = plot.x;
    const end = plot.x + plot.width - 30;
    let shownDate = '';
    for (let at = Math.ceil(first / step) * step; at < last; at += step) {
      const x = this.x((at - start) / columnMs);
      context.fillRect(x, y, 1, 5);
      const [date, time] = timeText(at, step).split(' ');
      const text = [date === shownDate ? '' : date, step % 86400000 === 0 ? '' : time]
        .join(' ')
        .trim();
      const width = context.measureText(text).width;
      if (x < free || x + 3 + width > end) continue;
      context.fillText(text, x + 3, y + 13);
      free = x + 3 + width + 8;
      shownDate = date;
    }
  }

  drawCell({ column, bucket }) {
    this.drawFrame([column, column + 1, bucket, bucket + 1], 4, 'ink');
  }

  /** A rectangle of cells that shows a finding: first and last column, first and last range. */
  drawMark([firstColumn, lastColumn, firstBucket, lastBucket]) {
    const { columns, buckets } = this.view;
    if (firstColumn >= columns[1] || lastColumn < columns[0]) return;
    if (firstBucket >= buckets[1] || lastBucket < buckets[0]) return;
    const rectangle = [
      Math.max(columns[0], firstColumn),
      Math.min(columns[1], lastColumn + 1),
      Math.max(buckets[0], firstBucket),
      Math.min(buckets[1], lastBucket + 1),
    ];
    this.drawFrame(rectangle, minMark, 'mark');
  }

  drawFrame([fromColumn, toColumn, fromBucket, toBucket], least, colour) {
    const { context } = this;
    const [x, y] = [this.x(fromColumn), this.y(fromBucket)];
    const width = Math.max(least, this.x(toColumn) - x);
    const height = Math.max(least, this.y(toBucket) - y);
    for (const [name, grow] of [
      ['panel', 2],
      [colour, 1],
    ]) {
      context.strokeStyle = this.colour(name);
      context.strokeRect(x - grow, y - grow, width + 2 * grow, height + 2 * grow);
    }
  }

  /** Arrows at both sides of the rows that findings name. */
  drawRows(chosen) {
    const { context, plot, view } = this;
    for (const finding of view.map.findings) {
      for (const bucket of finding.rows) {
        if (bucket < view.buckets[0] || bucket >= view.buckets[1]) continue;
        const y = (this.y(bucket) + this.y(bucket + 1)) / 2;
        const size = finding === chosen ? 8 : 5;
        context.fillStyle = this.colour(finding.level === 'info' ? 'soft' : finding.level);
        for (const [x, length] of [
          [plot.x - 1, -size],
          [plot.x + plot.width + 1, size],
        ]) {
          context.beginPath();
          context.moveTo(x, y);
          context.lineTo(x + length, y - size / 1.5);
          context.lineTo(x + length, y + size / 1.5);
          context.fill();
        }
      }
    }
  }

  drawBrush({ from, to }) {
    const { context } = this;
    context.strokeStyle = this.colour('ink');
    context.setLineDash([4, 3]);
    context.strokeRect(from.x, from.y, to.x - from.x, to.y - from.y);
    context.setLineDash([]);
  }
}
