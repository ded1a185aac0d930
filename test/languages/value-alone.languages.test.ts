/**
 * The shared file of an entity with one column has the encodings and the sentences of this column.
 * `ALONE=50` runs all columns in Go and Java, which compile for each.
 */
import { go } from './support/go.js';
import { java } from './support/java.js';
import { python } from './support/python.js';
import { valueColumns } from './support/vector-entities.js';
import { describeValueAlone } from './values-suite.js';

const names = Object.keys(valueColumns);
/** Maps with keys of a kind, messages, JSON and rules, which need most of the file, and counters. */
const few = ['data', 'bigints', 'levels', 'status', 'code', 'reads'];
const compiled = process.env.ALONE === undefined ? few : names;

describeValueAlone(python, names);
describeValueAlone(go, compiled);
describeValueAlone(java, compiled);
