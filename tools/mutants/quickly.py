"""A plugin of pytest with hypothesis' settings for mutants."""

from hypothesis import Phase, settings

settings.register_profile("mutants", deadline=None, phases=(Phase.explicit, Phase.generate), database=None)
