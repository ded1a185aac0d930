/** What the linter found. */
import type { JSX } from 'preact';
import type { PlacedFinding } from '../../protocol/insight.js';
import { counted } from '../format/numbers.js';
import { call } from '../net/client.js';
import { Empty, PlaceLink } from '../parts/elements.js';
import { FailureBox } from '../parts/failure-box.js';
import { useLoaded } from '../parts/loaded.js';
import { Waiting } from '../parts/waiting.js';

export function Findings(): JSX.Element {
  const lint = useLoaded((cancel) => call('lint', {}, cancel), []);
  const { value, failure } = lint.value;
  return (
    <section class="page" aria-label="Findings">
      <h1>Findings</h1>
      {failure !== undefined && <FailureBox failure={failure} />}
      <Waiting loaded={lint.value} what="Findings" />
      {value?.findings.length === 0 && (
        <Empty title="Nothing found.">
          The declarations follow all rules.{' '}
          <PlaceLink to={{ view: 'schema' }}>Compare them with the stored tables</PlaceLink>
        </Empty>
      )}
      {value !== undefined && value.findings.length > 0 && (
        <p class="quiet">{counted(value.findings.length, 'findings')} in the declarations</p>
      )}
      {value?.findings.map((finding, i) => (
        <article key={i} class="card">
          <h2>
            <PlaceLink to={{ view: 'schema', entity: finding.entity }}>
              {[finding.entity, finding.property ?? finding.family].filter(Boolean).join('.')}
            </PlaceLink>
          </h2>
          <Finding finding={finding} />
        </article>
      ))}
    </section>
  );
}

const looks = { error: 'is-bad', warning: 'is-warning', info: '' };

export const Finding = ({ finding }: { readonly finding: PlacedFinding }): JSX.Element => (
  <div class="finding">
    <p>
      <span class={`mark ${looks[finding.level]}`}>{finding.level}</span>{' '}
      <code class="code-name">{finding.rule}</code> <strong>{finding.problem}</strong>
    </p>
    <p class="quiet">{finding.reason}</p>
    <p>{finding.fix}</p>
    {/^https:\/\//.test(finding.source) && (
      <p>
        <a href={finding.source} target="_blank" rel="noreferrer noopener">
          {finding.source}
        </a>
      </p>
    )}
  </div>
);
