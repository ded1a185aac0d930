/** The text forms of values: in JSON, and in the fields of CSV files. */
export {
  cellTextForm,
  columnJsonForm,
  entryKeyText,
  parseEntryKey,
  type TextColumn,
} from './column-text-form.js';
export { exactly } from './exact-text-form.js';
export { base64, segmentTextForms, type TextForm, timestampForm } from './text-form.js';
