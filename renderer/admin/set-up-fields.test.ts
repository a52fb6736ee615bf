import { describe, expect, it } from 'vitest';
import { SetUpForm } from '../../shared/admin';
import { ADVANCED, isApplicable, missingFields, PLAIN, withField, withoutHidden } from './set-up-fields';
import { EMPTY_SET_UP_FORM } from './testing/empty-set-up-form';

const NOTHING_STORED = { clientSecret: false, apptoken: false, proxyPassword: false, pin: false };

describe('the set-up', () => {
  it('asks for every field once', () => {
    expect([...PLAIN, ...ADVANCED].sort()).toEqual(Object.keys(SetUpForm.shape).sort());
  });

  it('requires an address, and credentials for a sign-in', () => {
    expect(missingFields(EMPTY_SET_UP_FORM, NOTHING_STORED)).toEqual(['baseUrl']);
    const signsIn = { ...EMPTY_SET_UP_FORM, authUrl: 'https://auth' };
    expect(missingFields(signsIn, NOTHING_STORED)).toEqual(['baseUrl', 'clientId', 'clientSecret']);
  });

  it('requires zone and token for native ads', () => {
    const form = { ...EMPTY_SET_UP_FORM, baseUrl: 'https://a', nativeUrl: 'https://n' };
    expect(missingFields(form, NOTHING_STORED)).toEqual(['zoneId', 'apptoken']);
    expect(missingFields({ ...form, zoneId: 'z' }, { ...NOTHING_STORED, apptoken: true })).toEqual([]);
  });

  it('accepts a stored secret, and treats blanks as empty', () => {
    const form = { ...EMPTY_SET_UP_FORM, baseUrl: 'https://a', authUrl: 'https://auth', clientId: ' ' };
    expect(missingFields(form, { ...NOTHING_STORED, clientSecret: true })).toEqual(['clientId']);
  });

  it('omits questions that do not apply', () => {
    expect(isApplicable('zoneId', EMPTY_SET_UP_FORM)).toBe(false);
    expect(isApplicable('zoneId', { ...EMPTY_SET_UP_FORM, nativeUrl: 'https://n' })).toBe(true);
    expect(isApplicable('proxyPassword', EMPTY_SET_UP_FORM)).toBe(false);
    expect(isApplicable('proxyPassword', { ...EMPTY_SET_UP_FORM, proxyUrl: 'system' })).toBe(false);
    expect(isApplicable('proxyPassword', { ...EMPTY_SET_UP_FORM, proxyUrl: 'http://p:3128' })).toBe(true);
    expect(isApplicable('clientId', EMPTY_SET_UP_FORM)).toBe(false);
  });

  it('shows and sends a whole account or nothing of it', () => {
    const typed: SetUpForm = {
      ...EMPTY_SET_UP_FORM,
      clientId: 'c',
      clientSecret: 's',
      projectId: 'p',
    };
    const account = ['clientId', 'clientSecret', 'projectId'] as const;
    expect(account.filter((field) => isApplicable(field, typed))).toEqual([]);
    expect(withoutHidden(typed)).toEqual(EMPTY_SET_UP_FORM);
    const whole = { ...typed, authUrl: 'https://auth' };
    expect(account.filter((field) => isApplicable(field, whole))).toEqual(account);
    expect(withoutHidden(whole)).toEqual(whole);
  });

  it('keeps the stored secret if a typed one is deleted again', () => {
    const typed = withField(EMPTY_SET_UP_FORM, 'clientSecret', 's3cret');
    expect(typed.clientSecret).toBe('s3cret');
    expect(withField(typed, 'clientSecret', '').clientSecret).toBeNull();
  });
});
