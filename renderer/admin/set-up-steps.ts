import type { SetUpField, SetUpForm, SetUpPage } from '../../shared/admin';

/** The pages of the first set-up that have fields, in order; the connection test and the PIN follow. */
export const FIELD_STEPS: ReadonlyArray<readonly SetUpField[]> = [
  [
    ...(['baseUrl', 'authentication', 'authUrl', 'nativeUrl'] as const),
    ...(['proxyUrl', 'proxyUser', 'proxyPassword', 'caFile'] as const),
  ],
  ['clientId', 'clientSecret'],
  ['projectId', 'playerId', 'playerKey', 'zoneId', 'apptoken'],
];
export const TEST_STEP = FIELD_STEPS.length;
export const PIN_STEP = TEST_STEP + 1;
export const STEPS = PIN_STEP + 1;

/** Fields that only the networks of some stores need. */
const ADVANCED = new Set<SetUpField>(['proxyUrl', 'proxyUser', 'proxyPassword', 'caFile']);
export const isAdvanced = (field: SetUpField): boolean => ADVANCED.has(field);

const SECRETS = ['clientSecret', 'apptoken', 'proxyPassword'] as const;
export type SecretField = (typeof SECRETS)[number];

export function isSecret(field: SetUpField): field is SecretField {
  return SECRETS.some((secret) => secret === field);
}

/** Main wants a whole account as soon as there is a sign-in address. */
const wantsAccount = ({ authentication, authUrl }: SetUpForm) =>
  authentication === 'bearer' || authUrl.trim() !== '';

/** Whether a field applies: an account needs sign-in, token and zone native ads, proxy user and password a proxy. */
export function isApplicable(field: SetUpField, form: SetUpForm): boolean {
  switch (field) {
    case 'clientId':
    case 'clientSecret':
    case 'projectId':
      return wantsAccount(form);
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

/** What main is sent: without parts of an account that were typed before they did not apply. */
export const withoutHidden = (form: SetUpForm): SetUpForm =>
  wantsAccount(form) ? form : { ...form, clientId: '', clientSecret: null, projectId: '' };

/** The step before or after this one (`by`: 1 or -1), without those whose fields do not apply; -1: the welcome. */
export function stepFrom(step: number, by: 1 | -1, form: SetUpForm): number {
  const to = step + by;
  return FIELD_STEPS[to]?.every((field) => !isApplicable(field, form)) ? stepFrom(to, by, form) : to;
}

/** The required ones of `fields` that apply and are empty. Main checks the values. */
export function missingFields(
  fields: readonly SetUpField[],
  form: SetUpForm,
  has: SetUpPage['has'],
): readonly SetUpField[] {
  const needed = new Set<SetUpField>(['baseUrl', ...(form.authentication === 'bearer' ? CREDENTIALS : [])]);
  return fields.filter((field) => {
    if (!needed.has(field) || !isApplicable(field, form)) return false;
    if (isSecret(field)) return form[field] === null && !has[field];
    return form[field].trim() === '';
  });
}
const CREDENTIALS = ['authUrl', 'clientId', 'clientSecret'] as const;

/** The step that has this field; null: none. */
export function stepOf(field: SetUpField | null): number | null {
  const step = FIELD_STEPS.findIndex((fields) => fields.some((name) => name === field));
  return step === -1 ? null : step;
}

/** The form after typing. An emptied secret becomes null, which keeps the stored one. */
export function withField(form: SetUpForm, field: SetUpField, value: string): SetUpForm {
  if (isSecret(field)) return { ...form, [field]: value === '' ? null : value };
  if (field === 'authentication') return { ...form, authentication: value === 'none' ? 'none' : 'bearer' };
  return { ...form, [field]: value };
}
