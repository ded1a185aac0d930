/* The pointer: it reads cells, marks them, and zooms. */

/** Events of the canvas of a page. */
export function addPointer(page) {
  const { canvas } = page.picture;
  const { state } = page;
  const pointOf = (event) => {
    const { left, top } = canvas.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const endBrush = (then) => {
    const { brush } = state;
    state.brush = undefined;
    if (brush !== undefined) then(brush);
    page.draw();
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    state.brush = { from: pointOf(event), to: pointOf(event) };
  });
  canvas.addEventListener('pointermove', (event) => {
    showTip(page, pointOf(event));
    if (state.brush === undefined) return;
    state.brush.to = pointOf(event);
    page.draw();
  });
  canvas.addEventListener('pointerup', () => endBrush((brush) => zoomInto(page, brush)));
  canvas.addEventListener('pointercancel', () => endBrush(() => undefined));
  canvas.addEventListener('pointerleave', () => (page.tip.hidden = true));
  canvas.addEventListener('dblclick', () => page.showAll());
  const onWheel = (event) => {
    // Without a key the page scrolls.
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const { x, y } = pointOf(event);
    const factor = event.deltaY + event.deltaX > 0 ? 1.25 : 0.8;
    state.view.zoom(factor, page.picture.columnAt(x), page.picture.bucketAt(y));
    page.draw();
  };
  canvas.addEventListener('wheel', onWheel, { passive: false });
}

/** The cell at a place of the canvas: of the ranges in one pixel, that with the greatest value. */
function cellAt({ picture, state }, { x, y }) {
  const { plot } = picture;
  const isInside =
    x >= plot.x && x < plot.x + plot.width && y >= plot.y && y < plot.y + plot.height;
  if (!isInside) return undefined;
  const { map, buckets } = state.view;
  const column = Math.floor(picture.columnAt(x));
  const last = Math.max(Math.floor(picture.bucketAt(y)) + 1, Math.ceil(picture.bucketAt(y + 1)));
  let bucket = Math.floor(picture.bucketAt(y));
  const value = (each) => map.values[state.metric][column * map.buckets.length + each];
  for (let each = bucket; each < Math.min(last, buckets[1]); each++)
    if (value(each) > value(bucket)) bucket = each;
  return { column, bucket };
}

function showTip(page, point) {
  const { tip } = page;
  const cell = page.state.brush === undefined ? cellAt(page, point) : undefined;
  tip.hidden = cell === undefined;
  if (cell === undefined) return;
  tip.textContent = page.cellText(cell);
  const { clientWidth, clientHeight } = tip.parentElement;
  const isRight = point.x + 18 + tip.offsetWidth > clientWidth;
  const x = isRight ? point.x - 18 - tip.offsetWidth : point.x + 18;
  const y = Math.min(point.y + 14, clientHeight - tip.offsetHeight - 4);
  tip.style.left = `${Math.max(0, x)}px`;
  tip.style.top = `${Math.max(0, y)}px`;
}

/** Zooms into what was dragged over: on the keys or the curve only one axis changes. */
function zoomInto(page, { from, to }) {
  const { picture, state } = page;
  const { view } = state;
  const { plot } = picture;
  const moved = Math.abs(from.x - to.x) > 4 || Math.abs(from.y - to.y) > 4;
  if (!moved) return clickAt(page, to);
  const columns =
    from.x < plot.x ? view.columns : [picture.columnAt(from.x), picture.columnAt(to.x)];
  const buckets =
    from.y < plot.y ? view.buckets : [picture.bucketAt(from.y), picture.bucketAt(to.y)];
  view.show(columns, buckets);
  state.cell = undefined;
}

/** A click marks a cell, or shows only a group of keys. */
function clickAt(page, point) {
  const { picture, state } = page;
  state.cell = cellAt(page, point);
  if (point.x >= picture.plot.x || point.y < picture.plot.y) return;
  const level = Math.floor((point.x - 6) / picture.levelWidth);
  const bucket = picture.bucketAt(point.y);
  const box = picture.boxes.find(
    (each) => each.level === level && each.from <= bucket && bucket < each.to,
  );
  if (box !== undefined) state.view.show(state.view.columns, [box.from, box.to]);
}
