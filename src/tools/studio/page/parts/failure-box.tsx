/** What went wrong: what happened, where, and what to do. */
import type { ComponentChildren, JSX } from 'preact';
import type { StudioFailure } from '../../protocol/failure.js';
import { visible } from '../format/value.js';

interface FailureProps {
  readonly failure: StudioFailure;
  readonly children?: ComponentChildren;
}

export function FailureBox({ failure, children }: FailureProps): JSX.Element {
  const { message, problem, fix, code, key, issues } = failure;
  // The head of the page says it, and what to do.
  if (code === 'CONNECTION_LOST')
    return <p class="bar quiet">Not read, because the connection is lost. {children}</p>;
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{visible(message)}</strong> <code class="code-name">{code}</code>
      </p>
      {problem !== undefined && problem !== message && <p>{visible(problem)}</p>}
      {key !== undefined && (
        <p>
          Row <code>{visible(key)}</code>
        </p>
      )}
      {issues?.map(({ property, problem: each }) => (
        <p key={property}>
          <code>{property}</code>: {visible(each)}
        </p>
      ))}
      {fix !== undefined && <p class="fix">{visible(fix)}</p>}
      {children !== undefined && <div class="actions">{children}</div>}
    </div>
  );
}
