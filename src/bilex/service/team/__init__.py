"""The workbench for a team: accounts, roles, invitations, single sign-on."""
