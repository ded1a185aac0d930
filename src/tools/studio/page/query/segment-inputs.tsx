/** The inputs of a key: one for each segment, the next open when the one before is filled. */
import type { JSX } from 'preact';
import type { FixedSegment } from '../../protocol/query.js';
import type { BoundKind, SegmentInfo } from '../../protocol/schema.js';
import { isNumeric } from '../format/value.js';
import { call } from '../net/client.js';
import { SuggestInput } from '../parts/suggest-input.js';
import { zone } from '../state/settings.js';
import { type Draft, emptySegment, type ReadDraft, type SegmentDraft } from './draft.js';
import type { SourceForm } from './source-form.js';
import { hintFor, textToType } from './typed-value.js';

interface KeyProps {
  readonly form: SourceForm;
  readonly draft: Draft;
  readonly read: ReadDraft;
  readonly onChange: (draft: Draft) => void;
}

export function KeyInputs({ form, draft, read, onChange }: KeyProps): JSX.Element {
  const names = form.segments.map(({ name }) => name);
  return (
    <fieldset class="key-inputs">
      <legend class="sr">Key</legend>
      {form.parts.map((part) => {
        const at = names.findIndex((name) => part.startsWith(`${name}:`));
        if (at < 0) return <Fixed key={part} part={part} />;
        const segment = form.segments[at];
        const given = draft.segments[segment.name] ?? emptySegment;
        return (
          <SegmentInput
            key={segment.name}
            at={at}
            form={form}
            segment={segment}
            given={given}
            before={read.query.fixed?.slice(0, at) ?? []}
            isOpen={read.filled >= at}
            problem={read.problems[segment.name]}
            onChange={(next) =>
              onChange({ ...draft, segments: { ...draft.segments, [segment.name]: next } })
            }
          />
        );
      })}
    </fieldset>
  );
}

/** A part of the key that is always the same, or that a pattern leaves out. */
const Fixed = ({ part }: { readonly part: string }): JSX.Element => {
  const literal = /^literal '(.*)'$/.exec(part)?.[1];
  return literal === undefined ? (
    <span class="key-part is-other">{part.split(':')[0]}</span>
  ) : (
    <span class="key-part is-literal">{literal}</span>
  );
};

interface SegmentProps {
  readonly at: number;
  readonly form: SourceForm;
  readonly segment: SegmentInfo;
  readonly given: SegmentDraft;
  readonly before: readonly FixedSegment[];
  readonly isOpen: boolean;
  readonly problem: string | undefined;
  readonly onChange: (next: SegmentDraft) => void;
}

function SegmentInput(props: SegmentProps): JSX.Element {
  const { at, segment, given, isOpen, onChange } = props;
  const count = given.mode === 'between' ? 2 : Math.max(1, given.texts.length);
  const canAdd = given.mode === 'is' && isOpen && given.texts.some((text) => text !== '');
  return (
    <div class={`segment hue-${at % 6} ${lookOf(segment)} ${isOpen ? '' : 'is-closed'}`}>
      <div class="segment-head">
        <span class="segment-name">{segment.name}</span>
        <span class="segment-kind">
          {segment.kind}
          {segment.order === 'desc' && `, ${descending(segment)} first`}
        </span>
      </div>
      <div class="segment-values">
        <Mode {...props} />
        {Array.from({ length: count }, (_, i) => (
          <ValueInput key={i} {...props} i={i} />
        ))}
        {canAdd && (
          <button
            type="button"
            class="is-quiet segment-or"
            aria-label={`or another value of ${segment.name}`}
            onClick={() => onChange({ ...given, texts: [...given.texts, ''] })}
          >
            or
          </button>
        )}
      </div>
    </div>
  );
}

const descending = ({ kind }: SegmentInfo): string =>
  ['timestamp', 'micros', 'isoDate', 'ulid'].includes(kind) ? 'newest' : 'greatest';

/** The space that values of a kind need. */
function lookOf({ kind }: SegmentInfo): string {
  if (kind === 'timestamp' || kind === 'micros') return 'is-time';
  return isNumeric(kind) ? 'is-narrow' : '';
}

const modeNames: Readonly<Record<'is' | BoundKind, string>> = {
  is: 'is',
  between: 'from ... to',
  since: 'since',
  until: 'until',
  startsWith: 'starts with',
  subdomains: 'subdomains of',
};

function Mode({ segment, given, form, isOpen, onChange }: SegmentProps): JSX.Element | null {
  const declared = form.bound?.segment === segment.name ? form.bound.kind : undefined;
  const isPattern = form.source.kind === 'pattern';
  if (isPattern && declared !== undefined)
    return <span class="segment-mode">{modeNames[declared]}</span>;
  if (isPattern || segment.bounds.length === 0) return null;
  const modes: readonly ('is' | BoundKind)[] = ['is', ...segment.bounds];
  return (
    <select
      class="segment-mode"
      aria-label={`How ${segment.name} is bounded`}
      disabled={!isOpen}
      value={given.mode}
      onChange={(event) => {
        const mode = event.currentTarget.value as 'is' | BoundKind;
        onChange({
          mode,
          texts: mode === 'between' ? given.texts.slice(0, 2) : given.texts.slice(0, 1),
        });
      }}
    >
      {modes.map((mode) => (
        <option key={mode} value={mode}>
          {modeNames[mode]}
        </option>
      ))}
    </select>
  );
}

function ValueInput(props: SegmentProps & { readonly i: number }): JSX.Element {
  const { segment, given, i, isOpen, problem, onChange } = props;
  const text = given.texts[i] ?? '';
  const set = (next: string): void => {
    const texts = [...given.texts];
    texts[i] = next;
    onChange({ ...given, texts: texts.map((each) => each ?? '') });
  };
  const label = labelOf(segment, given, i);
  const choices = choicesOf(segment);
  if (choices !== undefined)
    return (
      <select
        aria-label={label}
        disabled={!isOpen}
        value={text}
        onChange={(event) => set(event.currentTarget.value)}
      >
        {['', ...choices].map((choice) => (
          <option key={choice} value={choice}>
            {choice === '' ? 'any' : choice}
          </option>
        ))}
      </select>
    );
  return (
    <SuggestInput
      id={`segment-${segment.name}-${i}`}
      label={label}
      value={text}
      hint={isOpen ? hintFor(segment.kind) : ''}
      disabled={!isOpen}
      problem={i === 0 ? problem : undefined}
      onValue={set}
      load={(typed, cancel) => suggestions(props, typed, cancel)}
    />
  );
}

function labelOf({ name }: SegmentInfo, { mode }: SegmentDraft, i: number): string {
  if (mode === 'between') return i === 0 ? `${name} from` : `${name} to, exclusive`;
  if (mode !== 'is') return `${name} ${modeNames[mode]}`;
  return i === 0 ? name : `${name}, value ${i + 1}`;
}

function choicesOf({ kind, values }: SegmentInfo): readonly string[] | undefined {
  return kind === 'bool' ? ['false', 'true'] : values;
}

async function suggestions(
  { form, segment, before }: SegmentProps,
  text: string,
  cancel: AbortSignal,
): Promise<readonly string[]> {
  const { source } = form;
  const startsWith = segment.kind === 'string' && text !== '' ? text : undefined;
  const request = { source, fixed: before, limit: 12, startsWith };
  const { values } = await call('values', request, cancel);
  return values
    .map((value) => textToType(value, segment.kind, zone.value))
    .filter((each) => each.startsWith(text));
}
