/** Tabs, which arrows switch. */
import type { ComponentChildren, JSX } from 'preact';

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly name: Name; readonly title: string }[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  readonly children: ComponentChildren;
}

export function Tabs<Name extends string>(props: TabsProps<Name>): JSX.Element {
  const { label, tabs, chosen, onChoose, children } = props;
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = tabs.findIndex(({ name }) => name === chosen);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    event.preventDefault();
    onChoose(next.name);
    document.getElementById(tabId(label, next.name))?.focus();
  };
  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ name, title }) => (
          <button
            key={name}
            id={tabId(label, name)}
            type="button"
            role="tab"
            aria-selected={name === chosen}
            aria-controls={panelId(label)}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {title}
          </button>
        ))}
      </div>
      <div
        class="tab-panel"
        role="tabpanel"
        id={panelId(label)}
        aria-labelledby={tabId(label, chosen)}
        tabIndex={0}
      >
        {children}
      </div>
    </div>
  );
}

const slug = (text: string): string => text.toLowerCase().replaceAll(' ', '-');
const tabId = (label: string, name: string): string => `tab-${slug(label)}-${name}`;
const panelId = (label: string): string => `panel-${slug(label)}`;
