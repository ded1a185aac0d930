/* The keyboard. */
import { metricNames } from './data.js';

/** Keys work everywhere on the page, arrows in the picture. */
export function addKeys(page) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (page.help.open) return;
    const action = actionOf(page, event);
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}

function actionOf(page, { key, shiftKey, target }) {
  const { state } = page;
  const keys = {
    '?': () => page.help.showModal(),
    m: () =>
      page.setMetric(metricNames[(metricNames.indexOf(state.metric) + 1) % metricNames.length]),
    t: () => page.changeTheme(),
    '[': () => page.setBrightness(state.brightness - 1),
    ']': () => page.setBrightness(state.brightness + 1),
  };
  if (state.view === undefined) return keys[key.toLowerCase()];
  if (/^[1-9]$/.test(key)) return () => page.chooseMap(Number(key) - 1);
  Object.assign(keys, {
    n: () => page.stepFinding(1),
    p: () => page.stepFinding(-1),
    '+': () => page.zoomBy(0.5),
    '-': () => page.zoomBy(2),
    0: () => page.showAll(),
    escape: () => {
      state.cell = state.finding = undefined;
      page.draw();
    },
  });
  if (target === page.picture.canvas) {
    const step = shiftKey ? 10 : 1;
    Object.assign(keys, {
      arrowleft: () => page.moveCell(-step, 0),
      arrowright: () => page.moveCell(step, 0),
      arrowup: () => page.moveCell(0, -step),
      arrowdown: () => page.moveCell(0, step),
    });
  }
  return keys[key.toLowerCase()];
}
