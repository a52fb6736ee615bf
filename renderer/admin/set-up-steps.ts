import type { SetUpField, SetUpForm, SetUpPage } from '../../shared/admin';

/** The pages of the first set-up that have fields, in order; the connection test and the PIN follow. */
export const FIELD_STEPS: ReadonlyArray<readonly SetUpField[]> = [
  ['baseUrl', 'authUrl', 'nativeUrl', 'proxyUrl', 'proxyUser', 'proxyPassword', 'caFile'],
  ['authentication', 'clientId', 'clientSecret'],
  ['projectId', 'playerId', 'playerKey', 'zoneId', 'apptoken'],
];
export const TEST_STEP = FIELD_STEPS.length;
export const PIN_STEP = TEST_STEP + 1;
export const STEPS = PIN_STEP + 1;

/** What only the networks of some stores need; closed until somebody asks for it. */
const ADVANCED = new Set<SetUpField>(['proxyUrl', 'proxyUser', 'proxyPassword', 'caFile']);
export const isAdvanced = (field: SetUpField): boolean => ADVANCED.has(field);

const SECRETS = ['clientSecret', 'apptoken', 'proxyPassword'] as const;
export type SecretField = (typeof SECRETS)[number];

export function isSecret(field: SetUpField): field is SecretField {
  return SECRETS.some((secret) => secret === field);
}

/** Which fields have a sense: without sign-in there are no credentials, without native ads no token and zone, without a proxy nobody for it. */
export function isAsked(field: SetUpField, form: SetUpForm): boolean {
  switch (field) {
    case 'clientId':
    case 'clientSecret':
      return form.authentication === 'bearer';
    case 'apptoken':
    case 'zoneId':
      return form.nativeUrl.trim() !== '';
    case 'proxyUser':
    case 'proxyPassword':
      return !['', 'system'].includes(form.proxyUrl.trim());
    default:
      return true;
  }
}

/** Those of `fields` that have to be filled in and are not. Whether what is there is right, main says. */
export function missing(
  fields: readonly SetUpField[],
  form: SetUpForm,
  has: SetUpPage['has'],
): readonly SetUpField[] {
  const needed = new Set<SetUpField>(['baseUrl', ...(form.authentication === 'bearer' ? CREDENTIALS : [])]);
  return fields.filter((field) => {
    if (!needed.has(field)) return false;
    if (isSecret(field)) return form[field] === null && !has[field];
    return form[field].trim() === '';
  });
}
const CREDENTIALS = ['authUrl', 'clientId', 'clientSecret'] as const;

/** The step to go to for a problem; null: it is of no field. */
export function stepOf(field: SetUpField | null): number | null {
  const step = FIELD_STEPS.findIndex((fields) => fields.some((name) => name === field));
  return step === -1 ? null : step;
}

/** The form after typing: an emptied secret is one that was not typed, so that the stored one stays. */
export function withField(form: SetUpForm, field: SetUpField, value: string): SetUpForm {
  if (isSecret(field)) return { ...form, [field]: value === '' ? null : value };
  if (field === 'authentication') return { ...form, authentication: value === 'none' ? 'none' : 'bearer' };
  return { ...form, [field]: value };
}
