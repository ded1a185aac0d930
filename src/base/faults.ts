/**
 * The sentences of errors and findings. Each file that finds faults declares their sentences in one
 * object, `faults`, so that they can be read and reviewed as a set (test/golden/faults.txt).
 */

/** Sentences of a fault in the words of the command line. */
export interface ShellText {
  readonly problem?: string;
  readonly fix?: string;
}

/** What is wrong and what to do about it: two sentences without a capital letter or a full stop. */
export interface FaultText {
  /** What is wrong in this case. */
  readonly problem: string;
  /** What to write or do instead; begins with a verb. */
  readonly fix: string;
  /** What the command prints instead, if a sentence names calls or options of the API. */
  readonly shell?: ShellText;
}

/** What is wrong, where the caller that answers has no advice: responses of the server. */
export type ProblemText = Pick<FaultText, 'problem'>;

/** A catalogue: faults by name; functions make the sentences from the values of a case. */
export type FaultTexts = Readonly<
  Record<string, ProblemText | FaultText | ((...values: never[]) => ProblemText | FaultText)>
>;
