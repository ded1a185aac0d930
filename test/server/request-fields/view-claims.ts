/** The methods of google.bigtable.admin.v2.BigtableTableAdmin about authorized views. */
import { mask, table, utf8, type FieldClaim, type ServiceClaims } from './claim.js';

const view = `${table}/authorizedViews/v`;
const subset = (rowPrefix: string, qualifier = 'q'): object => ({
  authorizedView: {
    subsetView: {
      rowPrefixes: [utf8(rowPrefix)],
      familySubsets: { text: { qualifiers: [utf8('q'), utf8(qualifier)] } },
    },
  },
});
const narrower = { ...subset('r11'), ...mask('subset_view') };
const etag: FieldClaim = ['served', { etag: 'wrong' }];

export const viewClaims: ServiceClaims = {
  CreateAuthorizedView: {
    base: { parent: table, authorizedViewId: 'new', ...subset('r') },
    fields: {
      parent: ['served', { parent: `${table}x` }],
      authorizedViewId: ['served', { authorizedViewId: 'newer' }],
      'authorizedView.name': [
        'refused',
        { authorizedView: { name: view } },
        'unless it is the new name',
      ],
      'authorizedView.subsetView.rowPrefixes': ['served', subset('a')],
      'authorizedView.subsetView.familySubsets': ['served', subset('r', 'p')],
      'authorizedView.etag': ['set', { authorizedView: { etag: 'x' } }],
      'authorizedView.deletionProtection': [
        'served',
        { authorizedView: { deletionProtection: true } },
      ],
    },
  },
  ListAuthorizedViews: {
    base: { parent: table },
    fields: {
      parent: ['served', { parent: `${table}x` }],
      pageSize: ['served', { pageSize: 1 }],
      pageToken: ['served', { pageToken: Buffer.from(view).toString('base64url') }],
      view: ['served', { view: 'FULL' }],
    },
  },
  GetAuthorizedView: {
    base: { name: view },
    fields: { name: ['served', { name: `${view}x` }], view: ['served', { view: 'BASIC' }] },
  },
  UpdateAuthorizedView: {
    base: {
      authorizedView: { name: view, deletionProtection: true },
      ...mask('deletion_protection'),
    },
    fields: {
      'authorizedView.name': ['served', { authorizedView: { name: `${view}x` } }],
      'authorizedView.subsetView.rowPrefixes': [
        'served',
        { ...subset('r'), ...mask('subset_view') },
      ],
      'authorizedView.subsetView.familySubsets': [
        'served',
        { ...subset('r1', 'p'), ...mask('subset_view') },
      ],
      'authorizedView.etag': ['served', { authorizedView: { etag: 'wrong' } }],
      'authorizedView.deletionProtection': [
        'served',
        { authorizedView: { deletionProtection: false } },
      ],
      updateMask: ['served', mask('name')],
      ignoreWarnings: [
        'served',
        { ...narrower, ignoreWarnings: true },
        'for a change that makes the view more restrictive',
        narrower,
      ],
    },
  },
  DeleteAuthorizedView: {
    base: { name: view },
    fields: { name: ['served', { name: `${view}x` }], etag },
  },
};
