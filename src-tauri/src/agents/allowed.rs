//! What the person lets an agent do in the vault that is open, and see of it.

use super::{Agents, AgentsView, lock};
use headless::agents::clients::{self, Client};
use headless::agents::policy::Policy;
use headless::agents::scope::Scope;
use headless::fault::Fault;

impl Agents {
    /// Sets what an agent may do in the vault that is open, from its next call on.
    ///
    /// # Errors
    /// No vault is open, a folder is not there, or it cannot be kept.
    pub fn set_policy(&self, id: &str, policy: Policy) -> Result<AgentsView, Fault> {
        let engine = lock(&self.engine).clone().ok_or_else(Fault::no_vault)?;
        let policy = policy.checked(&engine)?;
        self.change_in_vault(id, |client, vault| drop(client.policies.insert(vault.to_owned(), policy.clone())))
    }

    /// Sets what an agent may see of the vault that is open, and with which tools, from its next call on.
    ///
    /// # Errors
    /// No vault is open, a folder or a tool is not there, or it cannot be kept.
    pub fn set_scope(&self, id: &str, scope: Scope) -> Result<AgentsView, Fault> {
        let engine = lock(&self.engine).clone().ok_or_else(Fault::no_vault)?;
        let scope = scope.checked(&engine)?;
        self.change_in_vault(id, |client, vault| match scope == Scope::default() {
            true => drop(client.scopes.remove(vault)),
            false => drop(client.scopes.insert(vault.to_owned(), scope.clone())),
        })
    }

    /// Changes what is kept of an agent for the vault that is open.
    fn change_in_vault(&self, id: &str, change: impl Fn(&mut Client, &str)) -> Result<AgentsView, Fault> {
        let vault = lock(&self.vault_key).clone().ok_or_else(Fault::no_vault)?;
        let book = clients::change(&self.store, |book| {
            book.clients.iter_mut().filter(|client| client.id == id).for_each(|client| change(client, &vault));
        })?;
        self.keep(book);
        self.changed();
        Ok(self.view())
    }
}
