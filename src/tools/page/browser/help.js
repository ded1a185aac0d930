/* What keys and pointer do. */
import { element } from './elements.js';

const lines = [
  ['Arrows', 'move the marked cell, with Shift by ten; in tabs and findings, the focus'],
  ['+ and -', 'zoom'],
  ['0', 'show everything'],
  ['N and P', 'mark the next or the previous finding'],
  ['1 to 9', 'show the first to the ninth table or design'],
  ['[ and ]', 'darker and brighter: fewer or more operations have the last colour'],
  ['M', 'change the metric'],
  ['T', 'light or dark'],
  ['Esc', 'mark nothing'],
  ['?', 'this help'],
  ['Drag', 'over the map, the curve or the keys: zoom in'],
  ['Click', 'a cell marks it, a group of keys shows only it; twice shows everything'],
];

/** The dialog; a key or the button opens it. */
export function helpDialog() {
  const rows = lines.flatMap(([key, text]) => [
    element('dt', { textContent: key }),
    element('dd', { textContent: text }),
  ]);
  const close = element('button', { type: 'button', textContent: 'Close' });
  const dialog = element(
    'dialog',
    { className: 'help', 'aria-label': 'Keys and pointer' },
    element('h2', { textContent: 'Keys and pointer' }),
    element('dl', {}, ...rows),
    close,
  );
  close.addEventListener('click', () => dialog.close());
  return dialog;
}
