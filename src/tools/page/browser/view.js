/* Which part of a map is shown. */

export class View {
  constructor(map) {
    this.map = map;
    this.reset();
  }

  reset() {
    this.columns = [0, this.map.columns];
    this.buckets = [0, this.map.buckets.length];
  }

  /** Shows only these columns and buckets; at least one of each. */
  show(columns, buckets) {
    this.columns = within(columns, this.map.columns);
    this.buckets = within(buckets, this.map.buckets.length);
  }

  /** Zooms around a cell; a factor below 1 zooms in. */
  zoom(factor, column, bucket) {
    const around = ([from, to], at) => [at - (at - from) * factor, at + (to - at) * factor];
    this.show(around(this.columns, column), around(this.buckets, bucket));
  }

  /** Moves the view so that the cell is in it. */
  reveal(column, bucket) {
    const moved = ([from, to], at) => {
      if (at < from) return [at, at + to - from];
      if (at >= to) return [at + 1 - (to - from), at + 1];
      return [from, to];
    };
    this.show(moved(this.columns, column), moved(this.buckets, bucket));
  }
}

function within([from, to], count) {
  const first = Math.max(0, Math.min(count - 1, Math.floor(Math.min(from, to))));
  return [first, Math.max(first + 1, Math.min(count, Math.ceil(Math.max(from, to))))];
}
