/** Conditions and options of a query. */
import type { JSX } from 'preact';
import type { ColumnInfo, TestKind } from '../../protocol/schema.js';
import { type ConditionDraft, type Draft, type ReadDraft, takesNoValue } from './draft.js';
import type { SourceForm } from './source-form.js';
import { type Testable, testableOf, testablesOf } from './testable.js';
import { hintFor } from './typed-value.js';

interface OptionsProps {
  readonly form: SourceForm;
  readonly draft: Draft;
  readonly read: ReadDraft;
  readonly onChange: (draft: Draft) => void;
}

const testNames: Readonly<Record<TestKind, string>> = {
  equals: '=',
  oneOf: 'is one of',
  noneOf: 'is none of',
  above: '>',
  atLeast: '>=',
  below: '<',
  atMost: '<=',
  startsWith: 'starts with',
  isNull: 'has no value',
  notNull: 'has a value',
};

export function Conditions({ form, draft, read, onChange }: OptionsProps): JSX.Element | null {
  const testables = testablesOf(form);
  if (!form.takes.where || testables.length === 0) return null;
  const set = (where: readonly ConditionDraft[]): void => onChange({ ...draft, where });
  const [first] = testables;
  return (
    <fieldset class="conditions">
      <legend class="option-name">where</legend>
      {draft.where.map((condition, i) => (
        <Condition
          key={i}
          condition={condition}
          form={form}
          testables={testables}
          problem={read.problems[`where.${i}`]}
          onChange={(next) => set(draft.where.map((each, at) => (at === i ? next : each)))}
          onRemove={() => set(draft.where.filter((_, at) => at !== i))}
        />
      ))}
      <button
        type="button"
        class="is-quiet"
        onClick={() => set([...draft.where, { ...placeOf(first), test: first.tests[0], text: '' }])}
      >
        Add condition
      </button>
    </fieldset>
  );
}

const placeOf = ({ property, fields }: Testable): Pick<Testable, 'property' | 'fields'> => ({
  property,
  fields,
});

interface ConditionProps {
  readonly condition: ConditionDraft;
  readonly form: SourceForm;
  readonly testables: readonly Testable[];
  readonly problem: string | undefined;
  readonly onChange: (next: ConditionDraft) => void;
  readonly onRemove: () => void;
}

function Condition(props: ConditionProps): JSX.Element {
  const { condition, form, testables, problem, onChange, onRemove } = props;
  const on = testableOf(form, condition) ?? testables[0];
  const name = on.label;
  return (
    <span class="condition">
      <select
        aria-label="Property of the condition"
        value={name}
        onChange={(event) => {
          const label = event.currentTarget.value;
          const next = testables.find((each) => each.label === label) ?? on;
          const test = next.tests.includes(condition.test) ? condition.test : next.tests[0];
          onChange({ ...condition, ...placeOf(next), test });
        }}
      >
        {testables.map(({ label }) => (
          <option key={label}>{label}</option>
        ))}
      </select>
      {on.kind === 'json' && (
        <input
          type="text"
          aria-label={`Field of ${name}`}
          placeholder="field, or field.field"
          value={(condition.fields ?? []).join('.')}
          onInput={(event) => {
            const text = event.currentTarget.value;
            onChange({ ...condition, fields: text === '' ? undefined : text.split('.') });
          }}
        />
      )}
      <select
        aria-label={`Test of ${name}`}
        value={condition.test}
        onChange={(event) =>
          onChange({ ...condition, test: event.currentTarget.value as TestKind })
        }
      >
        {on.tests.map((test) => (
          <option key={test} value={test}>
            {testNames[test]}
          </option>
        ))}
      </select>
      {!takesNoValue(condition.test) && (
        <input
          type="text"
          aria-label={`Value that ${name} is compared with`}
          aria-invalid={problem !== undefined}
          title={problem}
          placeholder={condition.test.endsWith('Of') ? 'a, b, c' : hintFor(on.kind)}
          value={condition.text}
          onInput={(event) => onChange({ ...condition, text: event.currentTarget.value })}
        />
      )}
      <button type="button" class="is-quiet" aria-label="Remove this condition" onClick={onRemove}>
        ×
      </button>
      {problem !== undefined && <span class="problem">{problem}</span>}
    </span>
  );
}

export function Options(props: OptionsProps): JSX.Element {
  const { form, draft, read, onChange } = props;
  const { takes } = form;
  return (
    <div class="options">
      <label class="option">
        <input
          type="checkbox"
          checked={draft.reverse}
          onChange={(event) => onChange({ ...draft, reverse: event.currentTarget.checked })}
        />
        <span class="option-name">reverse</span>
      </label>
      <TextOption {...props} name="limit" title="limit" hint="all" />
      {takes.asOf && <TextOption {...props} name="asOf" title="as of" hint="now" />}
      {takes.versions && <TextOption {...props} name="versions" title="versions" hint="all" />}
      {takes.select && form.columns.length > 0 && (
        <Select columns={form.columns} draft={draft} onChange={onChange} />
      )}
      {Object.entries(read.problems)
        .filter(([name]) => ['limit', 'asOf', 'versions'].includes(name))
        .map(([name, problem]) => (
          <span key={name} class="problem">
            {problem}
          </span>
        ))}
    </div>
  );
}

interface TextProps extends OptionsProps {
  readonly name: 'limit' | 'asOf' | 'versions';
  readonly title: string;
  readonly hint: string;
}

const TextOption = ({ name, title, hint, draft, read, onChange }: TextProps): JSX.Element => (
  <label class="option">
    <span class="option-name">{title}</span>
    <input
      type="text"
      class={name === 'asOf' ? 'is-time' : 'is-short'}
      aria-invalid={read.problems[name] !== undefined}
      placeholder={hint}
      value={draft[name]}
      onInput={(event) => onChange({ ...draft, [name]: event.currentTarget.value })}
    />
  </label>
);

interface SelectProps {
  readonly columns: readonly ColumnInfo[];
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

/** The properties that are read: all, unless some are chosen. */
function Select({ columns, draft, onChange }: SelectProps): JSX.Element {
  const names = columns.map(({ name }) => name);
  const chosen = draft.select ?? names;
  const toggle = (name: string, on: boolean): void => {
    const next = names.filter((each) => (each === name ? on : chosen.includes(each)));
    onChange({ ...draft, select: next.length === names.length ? undefined : next });
  };
  const title = draft.select === undefined ? 'all' : `${chosen.length} of ${names.length}`;
  return (
    <details class="option menu">
      <summary>
        <span class="option-name">select</span> {title}
      </summary>
      <div class="menu-list">
        {names.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={(event) => toggle(name, event.currentTarget.checked)}
            />
            {name}
          </label>
        ))}
      </div>
    </details>
  );
}
