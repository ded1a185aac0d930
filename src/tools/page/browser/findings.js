/* The findings of each map as a list of buttons, which mark them in the picture. */
import { arrowFocus, element } from './elements.js';
import { countText } from './numbers.js';

/** `1 error, 2 warnings`; `no findings`. */
export function findingCounts(findings) {
  const counts = [
    ['error', 'error'],
    ['warning', 'warning'],
    ['info', 'info'],
  ]
    .map(([level, noun]) => [findings.filter((each) => each.level === level).length, noun])
    .filter(([count]) => count > 0)
    .map(([count, noun]) => (noun === 'info' ? `${count} info` : countText(count, noun)));
  return counts.length === 0 ? 'no findings' : counts.join(', ');
}

/** The gravest level of findings; undefined without. */
export function gravestLevel(findings) {
  return ['error', 'warning', 'info'].find((level) =>
    findings.some((each) => each.level === level),
  );
}

/**
 * The list: a group for each map, of which only the chosen one is open. `onChoose(map, finding)` is
 * called when a finding is clicked.
 */
export function findingList(maps, onChoose) {
  const groups = maps.map((map) => {
    const buttons = map.findings.map((finding) =>
      findingButton(finding, () => onChoose(map, finding)),
    );
    const empty = element('p', {
      className: 'none',
      textContent: map.unjudged ?? 'None: no part of the load reaches only few nodes.',
    });
    const list = element('ul', {}, ...buttons.map((button) => element('li', {}, button)));
    const summary = element('summary', {}, `${map.name}: ${findingCounts(map.findings)}`);
    const group = element('details', {}, summary, buttons.length === 0 ? empty : list);
    return { map, group, buttons };
  });
  const root = element('div', { className: 'findings' }, ...groups.map(({ group }) => group));
  arrowFocus(root, 'summary, button');
  return {
    root,
    /** Opens the group of a map, and shows which finding is chosen. */
    show(shown, chosen) {
      for (const { map, group, buttons } of groups) {
        if (this.shown !== shown) group.open = map === shown;
        buttons.forEach((button, i) =>
          button.setAttribute('aria-pressed', String(map.findings[i] === chosen)),
        );
      }
      this.shown = shown;
    },
  };
}

function findingButton({ level, subject, problem, fix, marks }, onClick) {
  const button = element(
    'button',
    { type: 'button', className: 'finding', onclick: onClick, 'aria-pressed': 'false' },
    element('span', { className: level, textContent: level }),
    element('strong', { textContent: subject }),
    element('span', { className: 'problem', textContent: problem }),
    element('span', { className: 'fix', textContent: `Change: ${fix}` }),
  );
  if (marks.length > 0) button.title = 'Mark it in the picture';
  return button;
}
