/** The input of a property, by its kind. */
import type { JSX } from 'preact';
import type { RulesInfo } from '../../protocol/schema.js';
import { hintFor } from '../query/typed-value.js';
import { Editor } from './editor.js';

interface ValueInputProps {
  readonly name: string;
  readonly kind: string;
  /** Several values under one property: a message, a map, a list. */
  readonly isJson: boolean;
  readonly rules?: RulesInfo | undefined;
  readonly choices?: readonly string[] | undefined;
  /** Undefined for no value. */
  readonly text: string | undefined;
  readonly problem?: string | undefined;
  readonly disabled?: boolean;
  readonly onText: (text: string | undefined) => void;
}

const longText = 60;

export function PropertyInput(props: ValueInputProps): JSX.Element {
  const { name, kind, isJson, text, problem, disabled, onText } = props;
  if (text === undefined)
    return (
      <div class="property-input">
        <span class="quiet">no value</span>
        <button
          type="button"
          class="is-quiet"
          disabled={disabled}
          onClick={() => onText(firstText(props))}
        >
          Set {name}
        </button>
      </div>
    );
  // An input of one line drops line feeds and carriage returns.
  const isLong = kind === 'string' && (text.length > longText || /[\n\r]/.test(text));
  return (
    <div class="property-input">
      {isJson || isLong ? (
        <Editor text={text} label={name} isJson={isJson} onInput={onText} />
      ) : (
        <Short {...props} text={text} />
      )}
      <button
        type="button"
        class="is-quiet"
        disabled={disabled}
        aria-label={`Remove the value of ${name}`}
        onClick={() => onText(undefined)}
      >
        ×
      </button>
      {problem !== undefined && (
        <span class="problem" id={`edit-${name}-problem`} role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}

function firstText({ isJson, kind, rules, choices }: ValueInputProps): string {
  if (isJson) return '{}';
  if (kind === 'bool') return 'false';
  return choices?.[0] ?? oneOfTexts(rules)?.[0] ?? '';
}

const oneOfTexts = (rules: RulesInfo | undefined): readonly string[] | undefined =>
  rules?.oneOf?.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));

function Short(props: ValueInputProps & { readonly text: string }): JSX.Element {
  const { name, kind, rules, text, problem, disabled, onText } = props;
  const choices = kind === 'bool' ? ['false', 'true'] : (props.choices ?? oneOfTexts(rules));
  const described = problem === undefined ? undefined : `edit-${name}-problem`;
  if (choices !== undefined)
    return (
      <select
        aria-label={name}
        aria-describedby={described}
        value={text}
        disabled={disabled}
        onChange={(event) => onText(event.currentTarget.value)}
      >
        {[...new Set([...choices, text])].map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  return (
    <input
      type="text"
      aria-label={name}
      aria-invalid={problem !== undefined}
      aria-describedby={described}
      placeholder={hintFor(kind)}
      spellcheck={false}
      disabled={disabled}
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  );
}
