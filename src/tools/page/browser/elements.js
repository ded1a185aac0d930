/* Elements of the page. Their texts are never markup. */

/** An element with properties (names with `-`, and `role`, are attributes) and children. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-') || name === 'role') made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children);
  return made;
}

/** Moves the focus among elements by the arrow keys, Home and End. */
export function arrowFocus(container, selector, onFocus = () => undefined) {
  container.addEventListener('keydown', (event) => {
    const all = [...container.querySelectorAll(selector)].filter(
      (each) => each.offsetParent !== null,
    );
    const at = all.indexOf(document.activeElement);
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    let next = at + (steps[event.key] ?? 0);
    if (event.key === 'Home') next = 0;
    if (event.key === 'End') next = all.length - 1;
    if (at === -1 || next === at || all[next] === undefined) return;
    event.preventDefault();
    all[next].focus();
    onFocus(all[next]);
  });
}
