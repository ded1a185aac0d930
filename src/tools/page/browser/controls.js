/* What is shown: tabs of the maps, metric, brightness, zoom, colours. */
import { arrowFocus, element } from './elements.js';
import { findingCounts, gravestLevel } from './findings.js';
import { metricNames } from './data.js';

/** The controls of a page; `show` brings them in line with its state. */
export function controlsOf(page) {
  const tabs = tabList(page);
  const metrics = metricNames.map((name) => {
    const input = element('input', { type: 'radio', name: 'metric', value: name });
    input.addEventListener('change', () => page.setMetric(name));
    return { input, label: element('label', {}, input, ` ${name}`) };
  });
  const brightness = element('input', {
    type: 'range',
    className: 'brightness',
    min: -8,
    max: 8,
    step: 1,
    title: 'Each step doubles the brightness ([ and ])',
  });
  brightness.addEventListener('input', () => page.setBrightness(Number(brightness.value)));
  const button = (className, text, title, action) => {
    const made = element('button', { type: 'button', className, textContent: text, title });
    made.addEventListener('click', action);
    return made;
  };
  const form = element(
    'form',
    { className: 'controls', 'aria-label': 'What is shown' },
    element(
      'fieldset',
      {},
      element('legend', { textContent: 'Metric' }),
      ...metrics.map(({ label }) => label),
    ),
    element('label', {}, 'Brightness ', brightness),
    element(
      'span',
      { className: 'group' },
      button('zoom-in', 'Zoom in', 'Zoom in (+)', () => page.zoomBy(0.5)),
      button('zoom-out', 'Zoom out', 'Zoom out (-)', () => page.zoomBy(2)),
      button('show-all', 'Show all', 'Show everything (0)', () => page.showAll()),
    ),
    button('theme', 'Light / dark', 'Light or dark (T)', () => page.changeTheme()),
    button('keys', 'Keys ?', 'Keys and pointer (?)', () => page.help.showModal()),
  );
  return {
    root: element('div', {}, tabs.root, form),
    show({ view, metric, brightness: value }) {
      tabs.show(view?.map);
      brightness.value = value;
      for (const { input } of metrics) input.checked = input.value === metric;
      for (const each of form.querySelectorAll('.group button')) each.disabled = view === undefined;
    },
  };
}

/** A tab for each table or design; hidden if there is one. */
function tabList(page) {
  const { maps } = page.data;
  const tabs = maps.map((map, index) => {
    const counts = findingCounts(map.findings);
    const tab = element(
      'button',
      { type: 'button', role: 'tab', title: `Show ${map.name}: ${counts}` },
      map.name,
      element('small', { className: gravestLevel(map.findings) ?? '', textContent: ` ${counts}` }),
    );
    tab.addEventListener('click', () => page.chooseMap(index));
    return { map, tab };
  });
  const root = element(
    'div',
    { className: 'tabs', role: 'tablist', 'aria-label': 'Tables and designs' },
    ...tabs.map(({ tab }) => tab),
  );
  root.hidden = tabs.length < 2;
  arrowFocus(root, '[role=tab]', (tab) => tab.click());
  return {
    root,
    show(shown) {
      for (const { map, tab } of tabs) {
        tab.setAttribute('aria-selected', String(map === shown));
        tab.tabIndex = map === shown ? 0 : -1;
      }
    },
  };
}
