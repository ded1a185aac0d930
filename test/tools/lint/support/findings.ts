/** Entities without findings, with parts that a test replaces, and their findings as text. */
import { column, defineEntity, maxVersions, rowKey } from '../../../../src/index.js';
import { lint, type LintOptions } from '../../../../src/tools/lint/index.js';

export type Loose = Record<string, any>;
export type AnyClass = new () => object;
export const text = { kind: 'string', maxLength: 20 };
export const one = { gc: maxVersions(1) };

/** An entity without findings, with part of its definition replaced. */
export function entity(change: Loose, name = 'E'): AnyClass {
  const { segments = { device: text }, ...rest } = change;
  return defineEntity({ [name]: class {} }[name], {
    name,
    table: 't',
    families: { m: one },
    key: rowKey(...(Object.keys(segments) as [string])),
    segments,
    columns: { v: column('m', 'string') },
    ...rest,
  } as never);
}

/** The findings of one entity: `K01 error at`. */
export function found(change: Loose, options?: LintOptions): string[] {
  return list([entity(change)], options);
}

export function list(entities: readonly AnyClass[], options?: LintOptions): string[] {
  return lint(entities, options).findings.map(({ rule, level, property, family }) =>
    [rule, level, property ?? family ?? '-'].join(' '),
  );
}

export const key = (segments: Loose, more: Loose = {}): string[] => found({ segments, ...more });
export const expecting = (expect: Loose): Loose => ({ lint: { expect } });
