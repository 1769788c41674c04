"""What plans the cases of all payout traps."""

from families.payout.store.world import World, write_tables
from families.payout.store.world_builder import WorldBuilder
from families.payout.tables import COMPUTED, TABLES
from trapcli.answers.edits.authoring.scenes import Planner

PLANNER: Planner[World] = Planner(TABLES, COMPUTED, WorldBuilder, write_tables)
