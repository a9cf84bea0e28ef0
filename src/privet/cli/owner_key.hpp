#pragma once

#include "privet/proof/fingerprint.hpp"

namespace privet::cli {

/// The key under which the fingerprints on this user's certificates are blinded: in $PRIVET_KEY, else
/// $XDG_STATE_HOME/privet/owner.key, else ~/.local/state/privet/owner.key, readable by the user alone. Made
/// at the first use. Whoever has it can test guesses about the data against certificates, so it never goes
/// into a model folder.
privacy::BlindingKey owner_key();

}  // namespace privet::cli
