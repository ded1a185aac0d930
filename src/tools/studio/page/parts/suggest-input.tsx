/** An input with suggestions below it, which arrows choose from. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';

interface SuggestProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly hint: string;
  readonly disabled?: boolean;
  readonly problem?: string | undefined;
  readonly onValue: (text: string) => void;
  /** Suggestions for what is typed; undefined if there are none for this input. */
  readonly load?: ((text: string, cancel: AbortSignal) => Promise<readonly string[]>) | undefined;
}

const waitMs = 120;

export function SuggestInput(props: SuggestProps): JSX.Element {
  const { id, label, value, hint, disabled, problem, onValue } = props;
  const found = useSignal<readonly string[]>([]);
  const active = useSignal(-1);
  const search = useSearch(props, found);
  const close = (): void => {
    search.stop();
    found.value = [];
    active.value = -1;
  };
  const choose = (text: string): void => {
    onValue(text);
    close();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { length } = found.value;
    if (event.key === 'Escape' && length > 0) {
      event.stopPropagation();
      close();
    } else if (event.key === 'ArrowDown' && length === 0) search.for(value);
    else if (event.key === 'ArrowDown') active.value = (active.value + 1) % length;
    else if (event.key === 'ArrowUp') active.value = Math.max(-1, active.value - 1);
    else if (event.key === 'Enter' && active.value >= 0) {
      choose(found.value[active.value]);
      event.preventDefault();
    } else return;
    if (event.key.startsWith('Arrow')) event.preventDefault();
  };
  const isOpen = found.value.length > 0;
  return (
    <div class="suggest">
      <input
        id={id}
        role="combobox"
        type="text"
        autocomplete="off"
        spellcheck={false}
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-activedescendant={active.value < 0 ? undefined : `${id}-${active.value}`}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        placeholder={hint}
        disabled={disabled}
        value={value}
        onFocus={() => search.for(value)}
        onBlur={close}
        onInput={(event) => {
          onValue(event.currentTarget.value);
          search.for(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        <Suggestions {...{ id, label, found: found.value, active: active.value, choose }} />
      )}
      {problem !== undefined && (
        <span class="problem" id={`${id}-problem`}>
          {problem}
        </span>
      )}
    </div>
  );
}

interface ListProps {
  readonly id: string;
  readonly label: string;
  readonly found: readonly string[];
  readonly active: number;
  readonly choose: (text: string) => void;
}

const Suggestions = ({ id, label, found, active, choose }: ListProps): JSX.Element => (
  <ul class="suggestions" role="listbox" id={`${id}-list`} aria-label={`Values of ${label}`}>
    {found.map((text, i) => (
      <li
        key={text}
        id={`${id}-${i}`}
        role="option"
        aria-selected={i === active}
        // Before the input loses the focus, which closes the list.
        onMouseDown={(event) => {
          event.preventDefault();
          choose(text);
        }}
      >
        {text}
      </li>
    ))}
  </ul>
);

interface Search {
  readonly for: (text: string) => void;
  readonly stop: () => void;
}

function useSearch({ load }: SuggestProps, found: { value: readonly string[] }): Search {
  const state = useRef<{ timer?: ReturnType<typeof setTimeout>; cancel?: AbortController }>({});
  const stop = (): void => {
    clearTimeout(state.current.timer);
    state.current.cancel?.abort();
  };
  useEffect(() => stop, []);
  const run = async (text: string, cancel: AbortController): Promise<void> => {
    try {
      const values = await load?.(text, cancel.signal);
      if (!cancel.signal.aborted) found.value = (values ?? []).filter((each) => each !== text);
    } catch {
      // Without suggestions the input still works.
      if (!cancel.signal.aborted) found.value = [];
    }
  };
  return {
    stop,
    for(text) {
      stop();
      if (load === undefined) return;
      const cancel = new AbortController();
      state.current = { cancel, timer: setTimeout(() => void run(text, cancel), waitMs) };
    },
  };
}
