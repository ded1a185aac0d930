/** The query as code, beside its form. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { StudioQuery } from '../../protocol/query.js';
import { call } from '../net/client.js';
import { Code } from '../parts/code.js';
import { CopyButton } from '../parts/elements.js';
import { useLoaded } from '../parts/loaded.js';
import { visible } from '../format/value.js';
import { type Language, languages } from './copy-query.js';

interface QueryCodeProps {
  readonly query: StudioQuery;
  /** Whether the form can be read; otherwise the last text stays. */
  readonly valid: boolean;
}

export function QueryCode({ query, valid }: QueryCodeProps): JSX.Element {
  const language = useSignal<Language>('TypeScript');
  const json = JSON.stringify(query);
  const text = useLoaded(
    (cancel) => call('typescript', { query: JSON.parse(json) as StudioQuery }, cancel),
    [json],
    150,
  );
  const { value, failure } = text.value;
  const texts: Readonly<Record<Language, string | undefined>> = {
    TypeScript: value?.typescript,
    cbt: value?.cbt,
    JSON: JSON.stringify(query, undefined, 2),
  };
  const shown = texts[language.value];
  return (
    <section class="query-code" aria-label="The query as code">
      <div class="bar">
        <div class="choices" role="group" aria-label="Language">
          {languages.map((each) => (
            <button
              key={each}
              type="button"
              class="is-quiet"
              aria-pressed={each === language.value}
              onClick={() => {
                language.value = each;
              }}
            >
              {each}
            </button>
          ))}
        </div>
        <CopyButton text={shown} what={`the query as ${language.value}`}>
          Copy
        </CopyButton>
      </div>
      {failure === undefined || !valid ? (
        <Code
          label={`Query as ${language.value}`}
          text={shown ?? placeholder(language.value, valid)}
        />
      ) : (
        <p class="problem">{visible(failure.problem ?? failure.message)}</p>
      )}
    </section>
  );
}

function placeholder(language: Language, valid: boolean): string {
  if (!valid) return '// fill in the form';
  return language === 'cbt' ? '// cbt cannot read this in one command' : '';
}
