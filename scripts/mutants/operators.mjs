/**
 * Mechanical mutants of a source file: small wrong changes that the TypeScript parser finds. Types and
 * texts are left alone.
 */
import ts from 'typescript';

/** @typedef {'boundary' | 'negation' | 'dropped statement' | 'constant' | 'dropped await'} Operator */

/**
 * @typedef {object} Site
 * @property {Operator} operator
 * @property {number} start Offsets in the text of the file.
 * @property {number} end
 * @property {string} replacement
 */

/** @type {readonly Operator[]} */
export const operators = ['boundary', 'negation', 'dropped statement', 'constant', 'dropped await'];

const { SyntaxKind: kinds } = ts;
/** One more or one less. */
const boundaries = new Map([
  [kinds.LessThanToken, '<='],
  [kinds.LessThanEqualsToken, '<'],
  [kinds.GreaterThanToken, '>='],
  [kinds.GreaterThanEqualsToken, '>'],
]);
const negations = new Map([
  [kinds.EqualsEqualsEqualsToken, '!=='],
  [kinds.ExclamationEqualsEqualsToken, '==='],
  [kinds.AmpersandAmpersandToken, '||'],
  [kinds.BarBarToken, '&&'],
]);

/** @param {string} text @returns {Site[]} */
export function sitesOf(text) {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.ES2022, true);
  /** @type {Site[]} */
  const sites = [];
  /** @param {import('typescript').Node} node */
  const visit = (node) => {
    if (isWithoutBehaviour(node)) return;
    sites.push(...mutationsOf(node, source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return sites;
}

/** @param {import('typescript').Node} node */
function isWithoutBehaviour(node) {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node)
  );
}

/** @param {import('typescript').Node} node @param {import('typescript').SourceFile} source @returns {Site[]} */
function mutationsOf(node, source) {
  /** @param {Operator} operator @param {string} replacement @param {import('typescript').Node} [at] */
  const site = (operator, replacement, at = node) => [
    { operator, start: at.getStart(source), end: at.getEnd(), replacement },
  ];
  if (ts.isBinaryExpression(node)) return ofOperator(node.operatorToken, site);
  if (ts.isNumericLiteral(node)) return site('constant', `${Number(node.text) + 1}`);
  if (ts.isBigIntLiteral(node)) return site('constant', `${BigInt(node.text.slice(0, -1)) + 1n}n`);
  if (node.kind === kinds.TrueKeyword) return site('constant', 'false');
  if (node.kind === kinds.FalseKeyword) return site('constant', 'true');
  if (ts.isAwaitExpression(node))
    return site('dropped await', `(${node.expression.getText(source)})`);
  if (ts.isExpressionStatement(node) && node.expression.getChildAt(0).kind !== kinds.SuperKeyword)
    return site('dropped statement', ';');
  const isNot = ts.isPrefixUnaryExpression(node) && node.operator === kinds.ExclamationToken;
  if (isNot) return site('negation', node.operand.getText(source));
  const condition = conditionOf(node);
  if (condition === undefined) return [];
  return site('negation', `!(${condition.getText(source)})`, condition);
}

/**
 * @param {import('typescript').Node} token
 * @param {(operator: Operator, replacement: string, at: import('typescript').Node) => Site[]} site
 */
function ofOperator(token, site) {
  const boundary = boundaries.get(token.kind);
  if (boundary !== undefined) return site('boundary', boundary, token);
  const negation = negations.get(token.kind);
  return negation === undefined ? [] : site('negation', negation, token);
}

/** A condition that no other rule negates. @param {import('typescript').Node} node */
function conditionOf(node) {
  let condition;
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) condition = node.expression;
  else if (ts.isConditionalExpression(node)) condition = node.condition;
  if (condition === undefined || ts.isPrefixUnaryExpression(condition)) return undefined;
  const isNegated = ts.isBinaryExpression(condition) && negations.has(condition.operatorToken.kind);
  return isNegated ? undefined : condition;
}
