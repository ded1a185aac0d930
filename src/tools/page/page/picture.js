/* Draws a view: the axis of keys, the load over time, the heat map and the axis of time. */

/** Pixels below which the names of a level are cut too much. */
const minLevelWidth = 75;
const margin = { left: 330, top: 74, right: 12, bottom: 26 };

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
function tickStep(millis, columnMs) {
  const least = Math.max(millis, columnMs);
  return tickSteps.find((step) => step >= least) ?? least;
}

class Picture {
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
    const left = Math.min(margin.left, Math.round(clientWidth * 0.4));
    this.maxLevels = Math.max(1, Math.min(axisLevels, Math.floor(left / minLevelWidth)));
    this.plot = {
      x: left,
      y: margin.top,
      width: clientWidth - left - margin.right,
      height: clientHeight - margin.top - margin.bottom,
    };
  }

  x(column) {
    const [from, to] = this.view.columns;
    return this.plot.x + ((column - from) / (to - from)) * this.plot.width;
  }

  y(bucket) {
    const [from, to] = this.view.buckets;
    return this.plot.y + ((bucket - from) / (to - from)) * this.plot.height;
  }

  columnAt(x) {
    const [from, to] = this.view.columns;
    return from + ((x - this.plot.x) / this.plot.width) * (to - from);
  }

  bucketAt(y) {
    const [from, to] = this.view.buckets;
    return from + ((y - this.plot.y) / this.plot.height) * (to - from);
  }

  draw(view, metric, theme, mark, brush) {
    this.view = view;
    this.layout();
    const style = getComputedStyle(document.documentElement);
    this.colour = (name) => style.getPropertyValue(`--${name}`).trim();
    this.context.font = '12px system-ui, sans-serif';
    this.context.textBaseline = 'middle';
    const full = fullValue(view.table, metric);
    this.drawCells(view.table.values[metric], full, theme);
    this.drawLoad(metric);
    this.drawKeys();
    this.drawTimes();
    if (mark !== undefined) this.drawMark(mark);
    if (brush !== undefined) this.drawBrush(brush);
    return full;
  }

  /** Each pixel has the greatest value of the ranges it stands for, so that thin lines remain. */
  drawCells(values, full, theme) {
    const { view, plot, layer } = this;
    const count = view.table.buckets.length;
    const [firstColumn, lastColumn] = view.columns;
    const [firstBucket, lastBucket] = view.buckets;
    const height = Math.max(1, Math.min(Math.round(plot.height), lastBucket - firstBucket));
    layer.width = lastColumn - firstColumn;
    layer.height = height;
    const shown = new Float64Array(layer.width * height);
    for (let column = firstColumn; column < lastColumn; column++) {
      for (let bucket = firstBucket; bucket < lastBucket; bucket++) {
        const value = values[column * count + bucket];
        if (value === 0) continue;
        const row = Math.floor(((bucket - firstBucket) * height) / (lastBucket - firstBucket));
        const pixel = row * layer.width + column - firstColumn;
        if (value > shown[pixel]) shown[pixel] = value;
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

  /** The sum of each column, above the map. */
  drawLoad(metric) {
    const { context, plot, view } = this;
    const values = view.table.values[metric];
    const count = view.table.buckets.length;
    const [first, last] = view.columns;
    const sums = [];
    for (let column = first; column < last; column++) {
      let sum = 0;
      for (let bucket = view.buckets[0]; bucket < view.buckets[1]; bucket++)
        sum += values[column * count + bucket];
      sums.push(sum);
    }
    const greatest = Math.max(1, ...sums);
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
    const unit = Math.round(greatest) === 1 ? metric.slice(0, -1) : metric;
    const most = `${valueText(metric, greatest)}${metric === 'bytes' ? '' : ` ${unit}`}`;
    const text = `Load: at most ${most} in ${intervalText(view.table.columnMs)}`;
    context.fillText(this.fitted(text, plot.width), plot.x, 12);
  }

  drawKeys() {
    const { context, plot, view } = this;
    const heightOf = (from, to) => this.y(to) - this.y(from);
    this.boxes = axisBoxes(view.table, ...view.buckets, heightOf).filter(
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
    axisNames(view.table)
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
    const { start, columnMs } = view.table;
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

  drawMark({ column, bucket }) {
    const { context } = this;
    const [x, y] = [this.x(column), this.y(bucket)];
    const width = Math.max(4, this.x(column + 1) - x);
    const height = Math.max(4, this.y(bucket + 1) - y);
    for (const [colour, grow] of [
      ['panel', 2],
      ['ink', 1],
    ]) {
      context.strokeStyle = this.colour(colour);
      context.strokeRect(x - grow, y - grow, width + 2 * grow, height + 2 * grow);
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
