import type { MigrationSource } from './source.ts'

export const aiConsentControls: MigrationSource = {
  number: 2,
  name: 'AI consent controls',
  frozen: {
    derived: `
ALTER TABLE campaigns ADD COLUMN ai_content_policy TEXT NOT NULL DEFAULT 'member_consent';
ALTER TABLE memberships ADD COLUMN ai_consent INTEGER NOT NULL DEFAULT 0 CHECK (ai_consent IN (0, 1));
`,
    checksum: '28d607a516b0004635b9a9b100cc20d195dcdfad9bca507b776d2402d1a76140',
  },
}
