/**
 * The propagation of a source row to its copies, as a state machine: the marks that it is for, then
 * a fence of the source, then the rows that an index finds, page by page, then the marks are
 * removed. A write of the source that commits after the fence has a mark that was not among them.
 */

/** A mark: its write, and how far an earlier propagation of it was. */
export interface PropagationMark {
  readonly token: string;
  readonly position: string | undefined;
  readonly done: number;
}

/** One request of a propagation. E are the entries of a page. */
export type PropagationRequest<E> =
  /** Answered by `marks`. */
  | { readonly kind: 'readMarks' }
  /** Answered by `version`. */
  | { readonly kind: 'readVersion' }
  /** Moves the version of the source on, if it is still the one that was read. */
  | { readonly kind: 'fence'; readonly version: string | undefined }
  /** The entries after a position; answered by `page`. */
  | { readonly kind: 'page'; readonly after: string | undefined }
  /** Writes the copies of the rows of entries again, and fences rows that do not exist. */
  | { readonly kind: 'refresh'; readonly entries: readonly E[] }
  /** Stores the position in marks that exist. */
  | {
      readonly kind: 'advance';
      readonly tokens: readonly string[];
      readonly position: string;
      readonly done: number;
    }
  | { readonly kind: 'removeMarks'; readonly tokens: readonly string[] };

export type PropagationAnswer<E> =
  | { readonly kind: 'marks'; readonly marks: readonly PropagationMark[] }
  | { readonly kind: 'version'; readonly version: string | undefined }
  /** `position` is undefined if there are no more. */
  | { readonly kind: 'page'; readonly entries: readonly E[]; readonly position: string | undefined }
  | { readonly kind: 'done'; readonly applied: boolean };

/** A propagation between two requests. */
export interface PropagationState {
  readonly at: PropagationRequest<unknown>['kind'];
  readonly tokens: readonly string[];
  readonly position: string | undefined;
  readonly done: number;
  readonly isLast: boolean;
  readonly attempt: number;
}

export type PropagationStep<E> =
  | {
      readonly kind: 'ask';
      readonly state: PropagationState;
      readonly request: PropagationRequest<E>;
    }
  /** `busy`: the source was written each time before the fence. */
  | { readonly kind: 'end'; readonly result: 'done' | 'busy' };

const maxFences = 32;

/** The first request. */
export function startPropagation<E>(): PropagationStep<E> {
  const state = { tokens: [], position: undefined, done: 0, isLast: false, attempt: 0 };
  return ask(state, { kind: 'readMarks' });
}

/** What follows an answer. A request that fails ends the propagation: its marks stay. */
export function continuePropagation<E>(
  state: PropagationState,
  answer: PropagationAnswer<E>,
): PropagationStep<E> {
  switch (state.at) {
    case 'readMarks':
      return afterMarks(state, (answer as { readonly marks: readonly PropagationMark[] }).marks);
    case 'readVersion': {
      const { version } = answer as { readonly version: string | undefined };
      return ask(state, { kind: 'fence', version });
    }
    case 'fence': {
      const attempt = state.attempt + 1;
      if ((answer as { readonly applied: boolean }).applied)
        return ask(state, { kind: 'page', after: state.position });
      if (attempt === maxFences) return { kind: 'end', result: 'busy' };
      return ask({ ...state, attempt }, { kind: 'readVersion' });
    }
    case 'page':
      return afterPage(state, answer as Extract<PropagationAnswer<E>, { kind: 'page' }>);
    case 'refresh':
      return afterRefresh(state);
    case 'advance':
      return ask(state, { kind: 'page', after: state.position });
    case 'removeMarks':
      return { kind: 'end', result: 'done' };
  }
}

function afterMarks<E>(
  state: PropagationState,
  marks: readonly PropagationMark[],
): PropagationStep<E> {
  if (marks.length === 0) return { kind: 'end', result: 'done' };
  const tokens = marks.map(({ token }) => token);
  // A mark at the beginning takes all marks there. Two positions that differ belong to two
  // propagations, and one began later.
  const [first] = marks;
  const isSame = marks.every(({ position }) => position === first.position);
  const { position, done } = isSame ? first : { position: undefined, done: 0 };
  return ask({ ...state, tokens, position, done }, { kind: 'readVersion' });
}

function afterPage<E>(
  state: PropagationState,
  { entries, position }: Extract<PropagationAnswer<E>, { kind: 'page' }>,
): PropagationStep<E> {
  const next = {
    ...state,
    position,
    done: state.done + entries.length,
    isLast: position === undefined,
  };
  if (entries.length === 0) return afterRefresh(next);
  return ask(next, { kind: 'refresh', entries });
}

function afterRefresh<E>(state: PropagationState): PropagationStep<E> {
  const { tokens, position, done, isLast } = state;
  if (isLast || position === undefined) return ask(state, { kind: 'removeMarks', tokens });
  return ask(state, { kind: 'advance', tokens, position, done });
}

function ask<E>(
  state: Omit<PropagationState, 'at'>,
  request: PropagationRequest<E>,
): PropagationStep<E> {
  return { kind: 'ask', state: { ...state, at: request.kind }, request };
}
